// Commands as they are stored, as the life of them is decided by, and as people see them.
import type { Command, CommandKindName, CommandStateName } from "@fairlead/contract";
import type { Selectable } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { type CommandState, isOutcome, phases } from "./command-state.ts";

/** Without what may be large. */
export type CommandRow = Omit<Selectable<Tables["command"]>, "spec" | "result" | "result_bytes">;

export const commandColumns: readonly (keyof CommandRow)[] = [
  ...(["id", "number", "cluster", "incarnation", "cluster_uid", "kind", "target", "namespace", "dry_run"] as const),
  ...(["spec_bytes", "requester", "requester_uid", "idempotency_key", "idempotency_digest", "retry_of"] as const),
  ...(["rollout", "stack_run"] as const),
  ...([
    "priority",
    "created_at",
    "deadline_at",
    "state",
    "epoch",
    "claimed_by",
    "lease_until",
    "reported",
    "lapses",
  ] as const),
  ...(["cancellation", "code", "message", "hint", "log_end", "finished_at"] as const),
];

export function toState({ state, epoch, reported, lapses, cancellation }: CommandRow): CommandState {
  const course = { epoch, reported, lapses, cancellation: cancellation ?? undefined };
  if (state === "queued") return { is: "queued", ...course };
  const phase = phases.find((one) => one === state);
  if (phase !== undefined) return { is: "held", phase, ...course };
  const outcome = isOutcome(state) || state === "expired" ? state : "lost";
  return { is: "ended", outcome, ...course };
}

export function nameOf(state: CommandState): CommandStateName {
  switch (state.is) {
    case "queued":
      return "queued";
    case "held":
      return state.phase;
    case "ended":
      return state.outcome;
  }
}

/** What a command is a part of. */
export interface CommandWhole {
  readonly is: "rollout" | "stack run";
  readonly id: string;
}

export function wholeOf({ rollout, stack_run: stackRun }: CommandRow): CommandWhole | undefined {
  if (rollout !== null) return { is: "rollout", id: rollout };
  return stackRun === null ? undefined : { is: "stack run", id: stackRun };
}

export function toCommand(row: CommandRow, logBytes: number): Command {
  const { code, message, hint } = row;
  return {
    ...{ id: row.id, cluster: row.cluster, kind: row.kind as CommandKindName, target: row.target },
    ...{ namespace: row.namespace, dryRun: row.dry_run, state: row.state, requester: row.requester },
    ...{ priority: row.priority, claims: row.epoch, logBytes },
    createdAt: row.created_at.toISOString(),
    deadlineAt: row.deadline_at.toISOString(),
    ...(row.cancellation === null ? {} : { cancellation: row.cancellation }),
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at.toISOString() }),
    ...(code === null ? {} : { trouble: { code, message: message ?? "", ...(hint === null ? {} : { hint }) } }),
    ...(row.retry_of === null ? {} : { retryOf: row.retry_of }),
    ...(row.rollout === null ? {} : { rollout: row.rollout }),
    ...(row.stack_run === null ? {} : { stackRun: row.stack_run }),
  };
}
