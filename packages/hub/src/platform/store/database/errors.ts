import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

/**
 * The store's errors where the database is somebody else's. `where` is its address without user and password. Messages
 * hold what server and driver say, which is never a password.
 */
const table = {
  STORE_URL_INVALID: {
    httpStatus: 503,
    message: "{detail}",
    hint: "{advice}",
    meaning:
      "The database's URL, or the file that holds it or the certificates, can't be read; the message says why and never repeats it.",
    remedy:
      "`postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`, with special characters in names and passwords as `%XX`.",
  },
  STORE_DOWN: {
    httpStatus: 503,
    retryable: true,
    message: "The database {where} can't be reached: {reason}",
    hint: "The hub tries again by itself. See whether the server runs and the network lets the hub through.",
    meaning: "The database doesn't run just now, or can't be reached; the message has its last word.",
    remedy:
      "Wait: the hub starts its own again by itself (its log is `postgres/server.log` in the data folder), and tries a database of yours again and again. At the start it waits for one for `--wait-for-store`.",
  },
  STORE_TLS: {
    httpStatus: 503,
    message: "The connection to the database {where} isn't safe: {reason}",
    hint: "Name the server's authority by --database-ca-file, and the server as its certificate does. sslmode=disable in the URL does without TLS.",
    meaning:
      "The connection to your database isn't safe: its certificate is of another authority, of another name or over, or it has no TLS.",
  },
  STORE_REFUSED: {
    httpStatus: 503,
    message: "The database {where} doesn't let the hub in: {reason}",
    hint: "Check user, password and database in the URL, pg_hba.conf of the server, and that the user owns the database.",
    meaning: "Your database doesn't let the hub in: wrong user or password, no such database, no right to make tables.",
  },
  STORE_UNFIT: {
    httpStatus: 503,
    message: "The hub can't keep its data in the database {where}: {reason}",
    hint: "It needs PostgreSQL 15 to 18, and a database with the encoding UTF8 that it has for itself.",
    meaning:
      "Your database is no PostgreSQL 15 to 18, has another encoding than UTF8, or holds tables of something else; or a pooler came between the hub and its database while the hub ran.",
    remedy: "Give the hub a database of its own on a server of these versions. With a pooler, start the hub again.",
  },
  STORE_LOCKED: {
    httpStatus: 503,
    message: "The database {where} is in use by another hub ({owner}).",
    hint: "Stop that hub, or give this one a database of its own.",
    meaning: "Another hub uses the data folder or the database; the message names its process.",
    remedy: "Stop that process, or use another folder or database.",
  },
  STORE_READ_ONLY: {
    httpStatus: 503,
    retryable: true,
    message: "The database {where} is read-only.",
    hint: "The hub writes again by itself when it can: see whether the address leads to a standby, or default_transaction_read_only is on.",
    meaning:
      "The hub can't write to its data folder, or your database is read-only: it is a standby, or `default_transaction_read_only` is on.",
    remedy: "Make the folder writable for the hub's user, or the database writable again: the hub goes on by itself.",
  },
  STORE_FULL: {
    httpStatus: 503,
    retryable: true,
    message: "The disk of the database {where} is full.",
    hint: "Free space there. The hub goes on by itself then.",
    meaning: "The disk that holds the data folder or your database is full.",
  },
} as const;

export const databaseErrors: Errors<typeof table> = defineErrors(table);

export function urlInvalid(problem: string): FairleadError {
  return databaseErrors.STORE_URL_INVALID({
    detail: `The database's URL can't be used: ${problem}.`,
    advice:
      "It is postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full, with special characters in names and passwords as %XX.",
  });
}

export function fileUnreadable(path: string, cause: unknown): FairleadError {
  return databaseErrors.STORE_URL_INVALID({
    detail: `The file with the database's URL, or its certificates, can't be read: ${path}`,
    advice: "See that it is there and that the hub's user may read it.",
    cause,
  });
}
