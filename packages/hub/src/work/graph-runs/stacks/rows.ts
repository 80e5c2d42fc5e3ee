// Stacks and their runs as they are stored, as the life of them is decided by, and as people see them.
import type { CommandKindName, StackResource, StackRun, StackStep } from "@fairlead/contract";
import type { Selectable } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { toNodeState, toTrouble } from "../rows.ts";
import type { GraphRunState } from "../run-state.ts";
import { countSteps, type RunStep } from "./settle-steps.ts";

export type RunRow = Selectable<Tables["stack_run"]>;
/** Without what may be large. */
export type StepRow = Omit<Selectable<Tables["stack_step"]>, "spec">;
export type ResourceRow = Omit<Selectable<Tables["stack_resource"]>, "spec">;

export const runColumns: readonly (keyof RunRow)[] = [
  ...(["id", "number", "stack", "action", "requester", "requester_uid", "asker", "max_parallel", "state"] as const),
  ...(["by_whom", "cancellation", "version", "idempotency_key", "idempotency_digest"] as const),
  ...(["created_at", "finished_at"] as const),
];
export const stepColumns: readonly (keyof StepRow)[] = [
  ...(["run", "place", "name", "action", "cluster", "incarnation", "kind", "namespace", "target"] as const),
  ...([
    "spec_bytes",
    "depends_on",
    "after",
    "state",
    "command",
    "approvals",
    "approval",
    "code",
    "message",
    "hint",
  ] as const),
];
export const resourceColumns: readonly (keyof ResourceRow)[] = [
  ...(["cluster", "target", "stack", "incarnation", "name", "kind", "namespace", "spec_bytes"] as const),
  ...(["depends_on", "action", "outcome", "command", "asked_at", "approvals"] as const),
];

/** All steps are one wave. */
export function toRunState({ state }: Pick<RunRow, "state">): GraphRunState {
  if (state === "running") return { is: state, wave: 1 };
  if (state === "cancelling") return { is: "stopping", wave: 1, towards: "cancelled" };
  return { is: "ended", wave: 1, outcome: state };
}

/** A stack's run neither pauses nor stops unless it is cancelled. */
export function nameOfRun(state: GraphRunState): RunRow["state"] {
  switch (state.is) {
    case "running":
    case "paused":
      return "running";
    case "stopping":
      return "cancelling";
    case "ended":
      return state.outcome === "stopped" ? "cancelled" : state.outcome;
  }
}

export function toRunStep({ place, after, state, command }: StepRow): RunStep {
  return { place, after, state: toNodeState(state, command) };
}

export function toRun(row: RunRow, steps: readonly Pick<StepRow, "state">[]): StackRun {
  return {
    id: row.id,
    stack: row.stack,
    action: row.action,
    state: row.state,
    requester: row.requester,
    createdAt: row.created_at.toISOString(),
    version: row.version,
    counts: { all: steps.length, ...countSteps(steps.map(({ state }) => ({ is: state }))) },
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at.toISOString() }),
    ...(row.max_parallel === null ? {} : { maxParallel: row.max_parallel }),
    ...(row.cancellation === null ? {} : { cancellation: row.cancellation }),
    ...(row.by_whom === null ? {} : { cancelledBy: row.by_whom }),
  };
}

export function toStep(row: StepRow): StackStep {
  return {
    place: row.place,
    name: row.name,
    action: row.action,
    cluster: row.cluster,
    kind: row.kind as CommandKindName,
    namespace: row.namespace,
    target: row.target,
    after: row.after,
    state: row.state,
    ...(row.command === null ? {} : { command: row.command }),
    ...(row.approval === null ? {} : { approval: row.approval }),
    ...toTrouble(row),
  };
}

/** `names`: of resources of the stack, by their keys. */
export function toResource(row: ResourceRow, names: ReadonlyMap<string, string>): StackResource {
  return {
    name: row.name,
    cluster: row.cluster,
    kind: row.kind as CommandKindName,
    namespace: row.namespace,
    target: row.target,
    action: row.action,
    outcome: row.outcome,
    command: row.command,
    askedAt: row.asked_at.toISOString(),
    dependsOn: row.depends_on.flatMap((key) => names.get(key) ?? []),
  };
}
