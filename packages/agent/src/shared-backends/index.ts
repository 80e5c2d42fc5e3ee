export { serveSharedBackends } from "./shared-backends.ts";
