import { setTimeout as sleep } from "node:timers/promises";
import type { FairleadError } from "@fairlead/kernel";
import type { Kysely } from "kysely";
import { storeErrors } from "../errors.ts";
import { migrate } from "../migrate.ts";
import type { Tables } from "../tables.ts";

/** Waits for hubs that are too old for what is to be done, as an upgrade stops them. Resolves to what `migrate` does. */
export async function migrateInTime(
  db: Kysely<Tables>,
  { waitMs, onWait }: { readonly waitMs: number; readonly onWait?: ((reason: FairleadError) => void) | undefined },
): Promise<number> {
  const startedMs = performance.now();
  for (let isTold = false; ; isTold = true) {
    try {
      return await migrate(db);
    } catch (error) {
      if (!storeErrors.is(error, "STORE_HUBS_OLDER")) throw error;
      if (performance.now() - startedMs >= Math.max(waitMs, killedMs)) throw error;
      if (!isTold) onWait?.(error);
    }
    await sleep(pollMs);
  }
}

/** Longer than a hub that was killed is taken for one that lives. */
const killedMs = 8_000;
const pollMs = 500;
