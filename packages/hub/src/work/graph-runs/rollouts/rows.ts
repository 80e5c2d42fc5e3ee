// Rollouts as they are stored, as the life of them is decided by, and as people see them.
import type { CommandKindName, Rollout, RolloutCluster } from "@fairlead/contract";
import type { Selectable } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { toOrigin } from "../../commands/index.ts";
import { toTrouble } from "../rows.ts";
import type { GraphRunState } from "../run-state.ts";

/** Without what may be large. */
export type RolloutRow = Omit<Selectable<Tables["rollout"]>, "request" | "request_bytes">;
export type PartRow = Selectable<Tables["rollout_cluster"]>;

export const rolloutColumns: readonly (keyof RolloutRow)[] = [
  ...(["id", "number", "kind", "target", "namespace", "dry_run", "requester", "requester_uid", "asker"] as const),
  ...(["max_parallel", "stop_after", "pause_seconds", "waves", "state", "wave", "why", "by_whom"] as const),
  ...(["resume_at", "cancellation", "code", "message", "hint", "version", "idempotency_key"] as const),
  ...(["idempotency_digest", "retry_of", "clusters", "waiting", "running", "succeeded"] as const),
  ...(["failed", "skipped", "awaiting", "created_at", "finished_at", "template", "template_revision"] as const),
];

export function toRolloutState({ state, wave, why }: RolloutRow): GraphRunState {
  switch (state) {
    case "running":
      return { is: "running", wave };
    case "paused":
      return { is: "paused", wave, why: why === "between-waves" ? why : "asked" };
    case "stopping":
      return { is: "stopping", wave, towards: why === "cancelled" ? why : "stopped" };
    case "succeeded":
    case "failed":
    case "stopped":
    case "cancelled":
      return { is: "ended", wave, outcome: state };
  }
}

export function toColumns(state: GraphRunState): Pick<RolloutRow, "state" | "wave" | "why"> {
  const { wave } = state;
  switch (state.is) {
    case "running":
      return { state: "running", wave, why: null };
    case "paused":
      return { state: "paused", wave, why: state.why };
    case "stopping":
      return { state: "stopping", wave, why: state.towards };
    case "ended":
      return { state: state.outcome, wave, why: null };
  }
}

export function toRollout(row: RolloutRow): Rollout {
  const { clusters: all, waiting, running, succeeded, failed, skipped, pause_seconds: seconds } = row;
  return {
    id: row.id,
    kind: row.kind as CommandKindName,
    target: row.target,
    namespace: row.namespace,
    dryRun: row.dry_run,
    state: row.state,
    requester: row.requester,
    createdAt: row.created_at.toISOString(),
    wave: row.wave,
    waves: row.waves,
    version: row.version,
    clusters: { all, waiting, running, succeeded, failed, skipped },
    ...(row.awaiting === 0 ? {} : { awaitingApproval: row.awaiting }),
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at.toISOString() }),
    ...(row.max_parallel === null ? {} : { maxParallel: row.max_parallel }),
    ...(row.stop_after === null ? {} : { stopAfterFailures: row.stop_after }),
    ...(seconds === null ? {} : { pauseBetweenWaves: seconds === 0 ? true : seconds }),
    ...(row.state === "paused" ? { pause: toPause(row) } : {}),
    ...(row.cancellation === null ? {} : { cancellation: row.cancellation }),
    ...toTrouble(row),
    ...(row.retry_of === null ? {} : { retryOf: row.retry_of }),
    ...toOrigin(row),
  };
}

export function toRolloutCluster(row: PartRow): RolloutCluster {
  return {
    cluster: row.cluster,
    wave: row.wave,
    state: row.state,
    ...(row.command === null ? {} : { command: row.command }),
    ...(row.approval === null ? {} : { approval: row.approval }),
    ...toTrouble(row),
  };
}

function toPause({ why, by_whom: by, resume_at: until }: RolloutRow): NonNullable<Rollout["pause"]> {
  return {
    why: why === "between-waves" ? why : "asked",
    ...(by === null ? {} : { by }),
    ...(until === null ? {} : { until: until.toISOString() }),
  };
}
