export { createManagedEnds, type ManagedEndsOptions } from "./ends.ts";
