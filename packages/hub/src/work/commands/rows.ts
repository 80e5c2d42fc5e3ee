// Commands as they are stored, as the life of them is decided by, and as people see them.
import {
  type Command,
  type CommandKindName,
  type CommandStateName,
  type CommandTrouble,
  commandOutcomes,
} from "@fairlead/contract";
import type { Selectable } from "kysely";
import type { StoredCommandState, Tables } from "../../platform/store/index.ts";
import { type CommandState, errandOf, type Gate, phases } from "./command-state.ts";

/** Without what may be large. */
export type CommandRow = Omit<
  Selectable<Tables["command"]>,
  "spec" | "result" | "result_bytes" | "plan" | "plan_bytes" | "parameters"
>;

export const commandColumns: readonly (keyof CommandRow)[] = [
  ...(["id", "number", "cluster", "incarnation", "cluster_uid", "kind", "target", "namespace", "dry_run"] as const),
  ...([
    "spec_bytes",
    "requester",
    "requester_uid",
    "idempotency_key",
    "idempotency_digest",
    "retry_of",
    "trace_parent",
  ] as const),
  ...(["rollout", "stack_run", "service_account", "template", "template_revision"] as const),
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
  ...(["approvals_required", "approvals_given", "four_eyes", "approval_seconds", "approval_until"] as const),
  ...(["plan_epoch", "plan_digest", "plan_round", "prior_plan_epoch", "prior_plan_digest", "ends_as"] as const),
  ...(["is_proposal", "is_vouched", "asker", "plan_hold", "plan_hold_epoch"] as const),
  ...(["plan_approved_by", "plan_approver"] as const),
];

export function toState(row: CommandRow): CommandState {
  const { epoch, reported, lapses, cancellation, approvals_required: required, approvals_given: given } = row;
  const gate = required === null ? undefined : { required, given, ...toRound(row) };
  const course = {
    epoch,
    reported,
    lapses,
    cancellation: cancellation ?? undefined,
    gate,
    endsAs: row.ends_as ?? undefined,
    proposal: row.is_proposal
      ? { isPlanApproved: row.plan_approved_by !== null, heldEpoch: row.plan_hold_epoch ?? undefined }
      : undefined,
  };
  const state = toName(row.state);
  if (state === "queued" || state === "approved") return { is: "queued", ...course };
  if (state === "awaiting-approval") return { is: "awaiting", ...course };
  if (state === "awaiting-plan-approval") return { is: "awaiting-plan", ...course };
  const phase = phases.find((one) => one === state);
  if (phase !== undefined) return { is: "held", phase, ...course };
  return { is: "ended", outcome: commandOutcomes.find((one) => one === state) ?? "lost", ...course };
}

function toRound(row: CommandRow): Pick<Gate, "planEpoch" | "round" | "priorEpoch"> {
  const { plan_epoch: planEpoch, prior_plan_epoch: priorEpoch, plan_round: round } = row;
  return { planEpoch: planEpoch ?? undefined, round, priorEpoch: priorEpoch ?? undefined };
}

/**
 * Gated commands and proposals have states of their own until they end: hubs of versions before would carry them out at
 * once, or have agents plan what should be held back.
 */
export function toStored(state: CommandState): StoredCommandState {
  const name = nameOf(state);
  if (state.is === "ended") return name;
  if (state.proposal !== undefined) return `${proposed}${name}`;
  return state.gate === undefined ? name : `${gated}${name}`;
}

export function toName(stored: StoredCommandState): CommandStateName {
  const prefix = [gated, proposed].find((one) => stored.startsWith(one)) ?? "";
  return stored.slice(prefix.length) as CommandStateName;
}

/** All names under which a state is stored. */
export function storedNames(state: string): StoredCommandState[] {
  const name = state as CommandStateName;
  return [name, `${gated}${name}`, `${proposed}${name}`];
}

const gated = "gated/";
const proposed = "proposed/";

export function nameOf(state: CommandState): CommandStateName {
  switch (state.is) {
    case "queued":
      return errandOf(state) === "apply" && state.endsAs === undefined ? "approved" : "queued";
    case "awaiting":
      return "awaiting-approval";
    case "awaiting-plan":
      return "awaiting-plan-approval";
    case "held":
      return state.phase;
    case "ended":
      return state.outcome;
  }
}

/** The whole of which a command is a part. */
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
    id: row.id,
    cluster: row.cluster,
    kind: row.kind as CommandKindName,
    target: row.target,
    namespace: row.namespace,
    dryRun: row.dry_run,
    state: toName(row.state),
    requester: row.requester,
    priority: row.priority,
    claims: row.epoch,
    logBytes,
    createdAt: row.created_at.toISOString(),
    deadlineAt: row.deadline_at.toISOString(),
    ...(row.cancellation === null ? {} : { cancellation: row.cancellation }),
    ...toApproval(row),
    ...toProposal(row),
    ...(row.finished_at === null ? {} : { finishedAt: row.finished_at.toISOString() }),
    ...(code === null ? {} : { trouble: { code, message: message ?? "", ...(hint === null ? {} : { hint }) } }),
    ...(row.service_account === null ? {} : { serviceAccount: row.service_account }),
    ...(row.retry_of === null ? {} : { retryOf: row.retry_of }),
    ...(row.rollout === null ? {} : { rollout: row.rollout }),
    ...(row.stack_run === null ? {} : { stackRun: row.stack_run }),
    ...toOrigin(row),
  };
}

/** The template that a command or a rollout was made of. */
export function toOrigin({ template: name, template_revision: revision }: OriginRow): Pick<Command, "template"> {
  return name === null ? {} : { template: { name, revision: revision ?? 0 } };
}

type OriginRow = Pick<CommandRow, "template" | "template_revision">;

function toApproval(row: CommandRow): Pick<Command, "approval"> {
  const { approvals_required: required, approvals_given: given, four_eyes: fourEyes } = row;
  const { plan_digest: digest, approval_until: until, plan_round: round } = row;
  if (required === null) return {};
  return {
    approval: {
      required,
      given,
      fourEyes,
      ...(digest === null ? {} : { digest }),
      ...(round > 1 ? { round } : {}),
      // Until then planning may be approved where there is no plan.
      ...(until === null || digest === null ? {} : { until: until.toISOString() }),
    },
  };
}

function toProposal(row: CommandRow): Pick<Command, "proposal"> {
  const { plan_hold: hold, plan_approved_by: by, approval_until: until } = row;
  if (!row.is_proposal) return {};
  const isHeld = toName(row.state) === "awaiting-plan-approval";
  return {
    proposal: {
      isVouched: row.is_vouched,
      planApprovedBy: by === null ? [] : [by],
      ...(isHeld && hold !== null ? { held: JSON.parse(hold) as CommandTrouble } : {}),
      ...(isHeld && until !== null ? { until: until.toISOString() } : {}),
    },
  };
}
