export { createManagedEnds, type ManagedEndsOptions, type SharingSettings } from "./ends.ts";
