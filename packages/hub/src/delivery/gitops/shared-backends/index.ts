export { createSharedBackends, readSharedTargets } from "./shared-backends.ts";
