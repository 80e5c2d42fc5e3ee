// Rollouts as graph runs: their nodes are clusters, in waves, counted on the rollout's row.
import type { RolloutClusterState } from "@fairlead/contract";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { FilledCommandRequest } from "../../commands/index.ts";
import { type NodeState, nextNodeState } from "../node-state.ts";
import type { GraphRunPort, NodeChange, SettlingRun } from "../port.ts";
import { type Trouble, toTroubleColumns } from "../rows.ts";
import type { GraphRunState } from "../run-state.ts";
import { rolloutErrors } from "./errors.ts";
import { type RolloutRow, rolloutColumns, toColumns, toRolloutState } from "./rows.ts";

export function createRolloutPort(db: Kysely<Tables>): GraphRunPort<RolloutRow> {
  return {
    is: "rollout",
    tables: {
      run: "rollout",
      node: "rollout_cluster",
      runOf: "rollout",
      hasNodeVersions: true,
      isDue: sql<boolean>`(state <> 'paused' or running > 0 or resume_at <= clock_timestamp())`,
      isPauseOver: sql<boolean>`coalesce(resume_at <= clock_timestamp(), false)`,
    },
    columns: rolloutColumns,
    mostParallel: 1_000,
    stopsWithRequester: true,
    cancelReason: "its rollout was cancelled",
    rulesOf: ({ stop_after: stop, pause_seconds: pause }) => ({
      stopAfter: stop ?? undefined,
      pausesBetween: pause !== null,
      withdraws: "at-end",
    }),
    toState: toRolloutState,
    nameOfNode,
    countRunning: async (_db, { running }) => running,
    isTurn: ({ wave }) => sql<boolean>`node.wave <= ${wave}`,

    async openRequests({ id }) {
      const rollouts = db.selectFrom("rollout").select("request").where("id", "=", id);
      const { request } = await rollouts.executeTakeFirstOrThrow();
      const command = JSON.parse(request) as FilledCommandRequest;
      return async ({ cluster }) => ({ ...command, cluster });
    },

    eventOf: () => ({ type: "refused" }),

    async settleNodes(trx, { row, ended }) {
      const changes = ended.map(({ place, command, outcome, trouble }): NodeChange => {
        const before = { is: "running", command } as const;
        return { place, before, after: nextNodeState(before, { type: "command-ended", outcome }), trouble };
      });
      const { waiting, running, failed } = countAfter(row, changes);
      const isWaitingNow = await hasWaiting(trx, row);
      return { changes, tally: { waiting, isWaitingNow, running, failed, cancelled: 0 } };
    },

    stateColumns,
    countColumns: countAfter,
    onNodes: async () => undefined,

    async onEnd(trx, { id, version }) {
      await trx
        .updateTable("rollout_cluster")
        .set({ state: "skipped", version: version + 1 })
        .where("rollout", "=", id)
        .where("state", "=", "waiting")
        .execute();
    },

    errors: {
      requesterGone: ({ requester }) => rolloutErrors.ROLLOUT_REQUESTER_GONE({ requester }),
      clusterChanged: () => rolloutErrors.ROLLOUT_CLUSTER_CHANGED(),
      commandUnsuccessful: (outcome) => rolloutErrors.ROLLOUT_COMMAND_UNSUCCESSFUL({ outcome }),
      idempotencyMismatch: (id) => rolloutErrors.ROLLOUT_IDEMPOTENCY_MISMATCH({ id }),
    },
  };
}

/** A cluster whose command was cancelled has failed, so that a retry asks it again. */
function nameOfNode(state: NodeState): RolloutClusterState {
  if (state.is !== "cancelled") return state.is;
  return state.command === undefined ? "skipped" : "failed";
}

function countAfter(row: RolloutRow, changes: readonly NodeChange[]): Record<RolloutClusterState, number> {
  const { waiting, running, succeeded, failed, skipped } = row;
  const counts = { waiting, running, succeeded, failed, skipped };
  for (const { before, after } of changes) {
    counts[nameOfNode(before)]--;
    counts[nameOfNode(after)]++;
  }
  return counts;
}

/** In the wave that is under way. Clusters of earlier waves come first. */
async function hasWaiting(trx: Transaction<Tables>, { id, wave }: RolloutRow): Promise<boolean> {
  const first = await trx
    .selectFrom("rollout_cluster")
    .select("wave")
    .where("rollout", "=", id)
    .where("state", "=", "waiting")
    .orderBy("place")
    .limit(1)
    .executeTakeFirst();
  return first !== undefined && first.wave <= wave;
}

function stateColumns(settling: SettlingRun<RolloutRow>): Record<string, unknown> {
  const { row, before, after, awaiting } = settling;
  const isNewPause = after.is === "paused" && after !== before;
  return {
    ...toColumns(after),
    awaiting,
    ...(after.is === "ended" ? { waiting: 0, skipped: row.skipped + row.waiting } : {}),
    ...(isNewPause || after.is !== "paused" ? { resume_at: isNewPause ? pauseEnd(after, row) : null } : {}),
    ...toStopTrouble(settling),
  };
}

function pauseEnd(after: GraphRunState, { pause_seconds: seconds }: RolloutRow): unknown {
  if (after.is !== "paused" || after.why === "asked" || !seconds) return null;
  return sql<Date>`clock_timestamp() + ${seconds}::float8 * interval '1 second'`;
}

/** Why it stopped, once it does. */
function toStopTrouble({ row, before, after, event, tally }: SettlingRun<RolloutRow>): Partial<Trouble> {
  if (before.is === "stopping" || goalOf(after) !== "stopped") return {};
  const { failed } = tally;
  if (event?.type !== "requester-gone") return toTroubleColumns(rolloutErrors.ROLLOUT_STOPPED({ failed }));
  return toTroubleColumns(event.error ?? rolloutErrors.ROLLOUT_REQUESTER_GONE({ requester: row.requester }));
}

function goalOf(state: GraphRunState): string | undefined {
  if (state.is === "stopping") return state.towards;
  return state.is === "ended" ? state.outcome : undefined;
}
