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
      "The database's URL, its file, or the certificate files are unreadable or invalid; the message says why and never repeats the URL.",
    remedy:
      "Write `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`, with special characters in names and passwords as `%XX`.",
  },
  STORE_DOWN: {
    httpStatus: 503,
    retryable: true,
    message: "The hub can't reach the database {where}: {reason}",
    hint: "The hub retries automatically. Check that the server runs, and check the network between hub and server.",
    meaning: "The database isn't running or can't be reached; the message contains its last output.",
    remedy:
      "Wait. The hub restarts its own database automatically (log: `postgres/server.log` in the data folder), and keeps retrying an external one. At startup it waits for `--wait-for-store`.",
  },
  STORE_TLS: {
    httpStatus: 503,
    message: "The connection to the database {where} isn't secure: {reason}",
    hint: "Set --database-ca-file to the server's certificate authority, and use the host name in the server's certificate. sslmode=disable in the URL turns off TLS.",
    meaning:
      "The connection to your database isn't secure. The server has no TLS, or its certificate is from another authority, for another name, or expired.",
  },
  STORE_REFUSED: {
    httpStatus: 503,
    message: "The database {where} rejected the hub: {reason}",
    hint: "Check user, password and database in the URL, the server's pg_hba.conf, and that the user owns the database.",
    meaning: "Your database rejected the hub: wrong user or password, missing database, or no right to create tables.",
  },
  STORE_UNFIT: {
    httpStatus: 503,
    message: "The hub can't use the database {where}: {reason}",
    hint: "Use PostgreSQL 15 to 18 and a database with the encoding UTF8 that nothing else uses.",
    meaning:
      "Your database isn't PostgreSQL 15 to 18, isn't encoded in UTF8, or contains tables of another application; or a pooler was put between the hub and its database while the hub ran.",
    remedy: "Give the hub its own database on a supported server. With a pooler, restart the hub.",
  },
  STORE_LOCKED: {
    httpStatus: 503,
    message: "The database {where} is in use by another hub ({owner}).",
    hint: "Stop that hub, or give this one its own database.",
    meaning: "Another hub uses the data folder or the database; the message names its process.",
    remedy: "Stop that process, or use another folder or database.",
  },
  STORE_READ_ONLY: {
    httpStatus: 503,
    retryable: true,
    message: "The database {where} is read-only.",
    hint: "Check whether the address is a standby's, or default_transaction_read_only is on. The hub resumes writing automatically.",
    meaning:
      "The hub can't write to its data folder, or your database is read-only: it is a standby, or `default_transaction_read_only` is on.",
    remedy:
      "Make the folder writable for the hub's user, or the database writable again. The hub resumes automatically.",
  },
  STORE_FULL: {
    httpStatus: 503,
    retryable: true,
    message: "The disk of the database {where} is full.",
    hint: "Free space on that disk. The hub then resumes automatically.",
    meaning: "The disk that holds the data folder or your database is full.",
  },
} as const;

export const databaseErrors: Errors<typeof table> = defineErrors(table);

export function urlInvalid(problem: string): FairleadError {
  return databaseErrors.STORE_URL_INVALID({
    detail: `The database's URL is invalid: ${problem}.`,
    advice:
      "It is postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full, with special characters in names and passwords as %XX.",
  });
}

export function fileUnreadable(path: string, cause: unknown): FairleadError {
  return databaseErrors.STORE_URL_INVALID({
    detail: `The file with the database's URL or its certificates is unreadable: ${path}`,
    advice: "Check that it exists and that the hub's user can read it.",
    cause,
  });
}
