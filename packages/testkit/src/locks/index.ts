export { type FileLock, tryFileLock, waitForFileLock } from "./file-lock.ts";
export { isAlive, type ProcessIdentity, thisProcess } from "./process-identity.ts";
