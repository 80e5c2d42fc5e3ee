// What can be wrong with a database of somebody else. Messages hold what server and driver say, which is never a password.
import { FairleadError } from "@fairlead/kernel";

export function databaseUrlInvalid(problem: string): FairleadError {
  return new FairleadError({
    code: "STORE_URL_INVALID",
    message: `The database's URL can't be used: ${problem}.`,
    hint: "It is postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full, with what is special in names and passwords as %XX.",
    httpStatus: 503,
  });
}

export function databaseFileUnreadable(path: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_URL_INVALID",
    message: `The file with the database's URL, or its certificates, can't be read: ${path}`,
    hint: "See that it is there and that the hub's user may read it.",
    httpStatus: 503,
    cause,
  });
}

/** `where` is the database's address without user and password. */
export function databaseDown(where: string, reason: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_DOWN",
    message: `The database ${where} can't be reached: ${reason}`,
    hint: "The hub tries again by itself. See whether the server runs and the network lets the hub through.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function databaseUnsafe(where: string, reason: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_TLS",
    message: `The connection to the database ${where} isn't safe: ${reason}`,
    hint: "Name the server's authority by --database-ca-file, and the server as its certificate does. sslmode=disable in the URL does without TLS.",
    httpStatus: 503,
    cause,
  });
}

export function databaseRefuses(where: string, reason: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_REFUSED",
    message: `The database ${where} doesn't let the hub in: ${reason}`,
    hint: "Check user, password and database in the URL, pg_hba.conf of the server, and that the user owns the database.",
    httpStatus: 503,
    cause,
  });
}

export function databaseUnfit(where: string, reason: string): FairleadError {
  return new FairleadError({
    code: "STORE_UNFIT",
    message: `The hub can't keep its data in the database ${where}: ${reason}`,
    hint: "It needs PostgreSQL 15 to 18, and a database with the encoding UTF8 that it has for itself.",
    httpStatus: 503,
  });
}

export function databaseTaken(where: string, owner: string): FairleadError {
  return new FairleadError({
    code: "STORE_LOCKED",
    message: `The database ${where} is in use by another hub (${owner}).`,
    hint: "Stop that hub, or give this one a database of its own.",
    httpStatus: 503,
  });
}

export function databaseReadOnly(where: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_READ_ONLY",
    message: `The database ${where} is read-only.`,
    hint: "The hub writes again by itself when it can: see whether the address leads to a standby, or default_transaction_read_only is on.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}

export function databaseFull(where: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "STORE_FULL",
    message: `The disk of the database ${where} is full.`,
    hint: "Free space there. The hub goes on by itself then.",
    httpStatus: 503,
    retryable: true,
    cause,
  });
}
