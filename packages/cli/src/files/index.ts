export { followLinks, hasErrno, isMissing, writePrivateFile } from "./private-file.ts";
