// For a database that nobody else uses.
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { ChangesPort } from "./ledger.ts";

export function createLoneChanges(db: Kysely<Tables>): ChangesPort {
  return {
    commit: async (_topics, work) => await db.transaction().execute(work),
    raise: async () => undefined,
    hint: () => undefined,
    era: 0,
    follow: () => ({ [Symbol.asyncDispose]: async () => undefined }),
  };
}
