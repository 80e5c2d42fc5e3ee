export { addClusterAttach } from "./attach.ts";
export { attachErrors } from "./errors.ts";
export { isMissingFolder } from "./options.ts";
export { checkPrograms, openTarget, type Target } from "./target.ts";
export { findTroubles } from "./troubles.ts";
