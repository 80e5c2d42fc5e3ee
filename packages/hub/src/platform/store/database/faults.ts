// Names what went wrong between the hub and a database of somebody else.
import { isFairleadError } from "@fairlead/kernel";
import { diskFull, isConnectionError, isReadOnly, readCode, readMessage } from "../to-store-error.ts";
import { databaseErrors } from "./errors.ts";
import { isTlsError } from "./tls.ts";

/** Undefined for an error that isn't about the database as a whole. */
export function explainDatabaseFault(where: string, error: unknown): unknown {
  if (isFairleadError(error)) return error;
  const code = readCode(error);
  const reason = readMessage(error) || code || "no reason is known";
  if (isTlsError(error)) return databaseErrors.STORE_TLS({ where, reason, cause: error });
  if (code !== undefined && refusals.test(code)) return databaseErrors.STORE_REFUSED({ where, reason, cause: error });
  if (isReadOnly(error)) return databaseErrors.STORE_READ_ONLY({ where, cause: error });
  if (code === diskFull) return databaseErrors.STORE_FULL({ where, cause: error });
  if (isConnectionError(error)) return databaseErrors.STORE_DOWN({ where, reason, cause: error });
  return undefined;
}

/** Wrong user or password, no such database, no right to it, no schema to create tables in. */
const refusals = /^28...$|^3D000$|^3F000$|^42501$/;
