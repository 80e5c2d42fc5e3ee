import type { CreateRolloutRequest, RetryRolloutRequest, RolloutClusterState } from "@fairlead/contract";
import type { Kysely } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { type FilledCommandRequest, toUse } from "../../commands/index.ts";
import { rolloutErrors } from "./errors.ts";
import type { RolloutRow } from "./rows.ts";

/** The same for the clusters that failed, in the waves in which they were. Throws ROLLOUT_NOT_RETRYABLE. */
export async function planRetry(
  db: Kysely<Tables>,
  row: RolloutRow,
  { skipped = false, skipUnusable }: RetryRolloutRequest,
): Promise<CreateRolloutRequest> {
  const { id, state, finished_at: finishedAt, pause_seconds: pause, stop_after: stop, max_parallel: parallel } = row;
  if (finishedAt === null) throw rolloutErrors.ROLLOUT_NOT_RETRYABLE({ state });
  const states: RolloutClusterState[] = skipped ? ["failed", "skipped"] : ["failed"];
  const parts = await db
    .selectFrom("rollout_cluster")
    .select(["cluster", "wave"])
    .where("rollout", "=", id)
    .where("state", "in", states)
    .orderBy("place")
    .execute();
  if (parts.length === 0) throw rolloutErrors.ROLLOUT_NOT_RETRYABLE({ state });
  const { request } = await db.selectFrom("rollout").select("request").where("id", "=", id).executeTakeFirstOrThrow();
  // Those that had no wave, since they were left out, come last.
  const byWave = Map.groupBy(
    parts.filter(({ wave }) => wave > 0),
    ({ wave }) => wave,
  );
  const waves = [...byWave.values()].map((ofWave) => ({ clusters: ofWave.map(({ cluster }) => cluster) }));
  return {
    ...toUnfilled(JSON.parse(request) as FilledCommandRequest),
    clusters: parts.map(({ cluster }) => cluster),
    waves: row.waves > 1 ? waves : undefined,
    skipUnusable,
    maxParallel: parallel ?? undefined,
    stopAfterFailures: stop ?? undefined,
    pauseBetweenWaves: pause === null ? undefined : pause === 0 ? true : pause,
  };
}

/** A template is asked again, which may say something else by now. */
function toUnfilled({ template, serviceAccount, ...request }: FilledCommandRequest): CreateRolloutRequest {
  if (!template) return { ...request, ...(serviceAccount === undefined ? {} : { serviceAccount }) };
  return { ...request, ...toUse(template) };
}
