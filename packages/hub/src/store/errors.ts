import { FairleadError } from "@fairlead/kernel";

export function storeLocked(owner: { readonly pid: number; readonly dataDir: string }): FairleadError {
  return new FairleadError({
    code: "STORE_LOCKED",
    message: `The data folder ${owner.dataDir} is in use by another hub (process ${owner.pid}).`,
    hint: "Stop that process, or give this hub a data folder of its own with --data-dir.",
    httpStatus: 503,
  });
}

export function storeFull(cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_FULL",
    message: "The disk that holds the hub's data folder is full.",
    hint: "Free space there: a new data folder takes 64 MiB, and one in use wants 32 MiB left. A running hub goes on by itself then.",
    httpStatus: 507,
    retryable: true,
    cause,
  });
}

export function storeUnusable(dataDir: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_UNUSABLE",
    message: `The hub can't keep its data in ${dataDir}.`,
    hint: "It must be a folder on a local disk that holds nothing else; restore it from a backup if it is damaged.",
    httpStatus: 503,
    cause,
  });
}

/** For what was under way when the database gave up; the first error said why. */
export function storeFailed(cause?: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_FAILED",
    message: "The hub's database stopped in the middle of this.",
    hint: "It is opened again for the next request. The hub's log has the reason.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

/** Between letting the store go and the end, a hub serves what needs no store. */
export function storeHandedOver(): FairleadError {
  return new FairleadError({
    code: "STORE_HANDED_OVER",
    message: "This hub has handed its data over to the one that follows it.",
    hint: "Try again: the next hub answers within seconds.",
    httpStatus: 503,
    retryable: true,
  });
}

export function storeNewer(found: string): FairleadError {
  return new FairleadError({
    code: "STORE_NEWER",
    message: `The data folder was last used by a newer version of the hub (it holds migration ${found}).`,
    hint: "Run that version or a later one, or restore a backup from before the upgrade.",
    httpStatus: 503,
  });
}

/** Names what the operating system or the database said; leaves any other error alone. */
export function toStoreError(error: unknown, dataDir = "in use"): unknown {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (typeof code === "string") {
    if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG" || code === "53100") return storeFull(error);
    if (code === "EROFS" || code === "EACCES" || code === "EPERM" || code === "25006") {
      return storeReadOnly(dataDir, error);
    }
  }
  return typeof message === "string" && /no space left on device/i.test(message) ? storeFull(error) : error;
}

function storeReadOnly(dataDir: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_READ_ONLY",
    message: `The hub can't write to its data folder ${dataDir}.`,
    hint: "Make the folder writable for the hub's user, or choose another with --data-dir.",
    httpStatus: 503,
    cause,
  });
}
