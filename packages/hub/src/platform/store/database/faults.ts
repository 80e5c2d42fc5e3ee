// Names what went wrong between the hub and a database of somebody else.
import { isFairleadError } from "@fairlead/kernel";
import { diskFull, isConnectionError, isReadOnly, readCode, readMessage } from "../errors.ts";
import { databaseDown, databaseFull, databaseReadOnly, databaseRefuses, databaseUnsafe } from "./errors.ts";
import { isTlsError } from "./tls.ts";

/** Undefined for what isn't about the database as a whole. */
export function explainDatabaseFault(where: string, error: unknown): unknown {
  if (isFairleadError(error)) return error;
  const code = readCode(error);
  const reason = readMessage(error) || code || "no reason is known";
  if (isTlsError(error)) return databaseUnsafe(where, reason, error);
  if (code !== undefined && refusals.test(code)) return databaseRefuses(where, reason, error);
  if (isReadOnly(error)) return databaseReadOnly(where, error);
  if (code === diskFull) return databaseFull(where, error);
  if (isConnectionError(error)) return databaseDown(where, reason, error);
  return undefined;
}

/** Wrong user or password, no such database, no right to it, no schema to create tables in. */
const refusals = /^28...$|^3D000$|^3F000$|^42501$/;
