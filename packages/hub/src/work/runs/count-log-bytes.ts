import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";

/** Counts the bytes of a log that the hub has got, even if it has removed them again. */
export async function countLogBytes(db: Kysely<Tables>, command: string): Promise<number> {
  const row = await db.selectFrom("command_log").select("bytes").where("command", "=", command).executeTakeFirst();
  return row?.bytes ?? 0;
}
