import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

/** Of the log that the hub has, also when it is removed again. */
export async function countLogBytes(db: Kysely<Tables>, command: string): Promise<number> {
  const row = await db.selectFrom("command_log").select("bytes").where("command", "=", command).executeTakeFirst();
  return row?.bytes ?? 0;
}
