import { storeErrors } from "./errors.ts";

/** Names what the operating system, the driver or the database said; leaves any other error alone. */
export function toStoreError(error: unknown, dataDir = "in use"): unknown {
  const code = readCode(error);
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG" || code === diskFull) {
    return storeErrors.STORE_FULL({ cause: error });
  }
  if (code === "EROFS" || code === "EACCES" || code === "EPERM" || isReadOnly(error)) {
    return storeErrors.STORE_READ_ONLY({ dataDir, cause: error });
  }
  if (code === queryCanceled) return storeErrors.STORE_SLOW({ cause: error });
  if (isBusy(error)) return storeErrors.STORE_BUSY({ cause: error });
  if (isConnectionError(error)) return storeErrors.STORE_FAILED({ cause: error });
  if (/no space left on device/i.test(readMessage(error))) return storeErrors.STORE_FULL({ cause: error });
  if (/read-only file system/i.test(readMessage(error))) return storeErrors.STORE_READ_ONLY({ dataDir, cause: error });
  return error;
}

/** True when the connection failed, rather than the statement. */
export function isConnectionError(error: unknown): boolean {
  const code = readCode(error);
  if (code === undefined)
    return /^Connection terminated|^Query read timeout|^Client has encountered|^timeout expired/.test(
      readMessage(error),
    );
  if (code === "ENOENT") return (error as NodeJS.ErrnoException).syscall === "connect"; // the socket is gone
  return /^08|^57P0[1-5]$|^53300$|^58030$|^25P0[345]$|^E(?:CONN|PIPE|HOSTUN|TIMEDOUT|NETUN|NOTFOUND|AI_)/.test(code);
}

export function isReadOnly(error: unknown): boolean {
  return readCode(error) === readOnlyTransaction;
}

/** All connections of the share were taken for as long as a statement waits, or others held what this one needs. */
function isBusy(error: unknown): boolean {
  const code = readCode(error);
  if (code === undefined) return readMessage(error) === "timeout exceeded when trying to connect";
  return code === serializationFailure || code === deadlockDetected || code === lockNotAvailable;
}

export function readCode(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}

export function readMessage(error: unknown): string {
  const { message } = error as { readonly message?: unknown };
  return typeof message === "string" ? message : "";
}

/** Another row has the key already. */
export function isUniqueViolation(error: unknown): boolean {
  return readCode(error) === "23505";
}

/** SQLSTATEs: https://www.postgresql.org/docs/18/errcodes-appendix.html */
export const diskFull = "53100";
const readOnlyTransaction = "25006";
const queryCanceled = "57014";
const serializationFailure = "40001";
const deadlockDetected = "40P01";
const lockNotAvailable = "55P03";
