export { lockFile } from "./lock-file.ts";
export { pause } from "./pause.ts";
export { followLinks, hasErrno, isMissing, writePrivateFile } from "./private-file.ts";
export { readText } from "./read-text.ts";
