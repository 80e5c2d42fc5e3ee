export { openApiDoor } from "./api-door.ts";
export { type AdmittedRun, type ApiDoor, type Door, openDoor } from "./door.ts";
export { isOfRelease, isReleaseSecret, type SecretRules } from "./secret-sight.ts";
export type { KeptObject } from "./types.ts";
