// Stacks and their runs as they are stored, as the life of them is decided by, and as people see them.
import type { CommandKindName, CommandTrouble, StackResource, StackRun, StackStep } from "@fairlead/contract";
import type { Selectable } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import type { RunState } from "./run-state.ts";
import { countSteps, type RunStep } from "./settle-steps.ts";
import type { StepState } from "./step-state.ts";

export type RunRow = Selectable<Tables["stack_run"]>;
/** Without what may be large. */
export type StepRow = Omit<Selectable<Tables["stack_step"]>, "spec">;
export type ResourceRow = Omit<Selectable<Tables["stack_resource"]>, "spec">;

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

export function toRunState({ state }: Pick<RunRow, "state">): RunState {
  return state === "running" || state === "cancelling" ? { is: state } : { is: "ended", outcome: state };
}

export function nameOfRun(state: RunState): RunRow["state"] {
  return state.is === "ended" ? state.outcome : state.is;
}

export function toRunStep({ place, after, state, command }: StepRow): RunStep {
  return { place, after, state: toStepState(state, command) };
}

function toStepState(is: StepRow["state"], command: string | null): StepState {
  if (is === "waiting") return { is };
  if (is === "running") return { is, command: command ?? "" };
  return command === null ? { is } : { is, command };
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

function toTrouble({ code, message, hint }: StepRow): { readonly trouble?: CommandTrouble } {
  return code === null ? {} : { trouble: { code, message: message ?? "", ...(hint === null ? {} : { hint }) } };
}
