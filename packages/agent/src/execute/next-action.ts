// Decides what a claim is for, from what the hub signed and what this cluster has on record.
import type { CommandEnvelope } from "@fairlead/protocol";
import { executeErrors } from "./errors.ts";
import { digestOfPlan } from "./plan-digest.ts";
import type { PlanDigests, RecordedPlan, RecordLife } from "./records/index.ts";
import { checkTime, leewayMs } from "./verify-envelope.ts";

export type NextAction =
  /** Nobody has to approve it. */
  | { readonly is: "run"; readonly isBegun: boolean }
  | { readonly is: "plan"; readonly isBegun: false; readonly keptMs: number }
  /** It is planned, and the hub doesn't know that yet. */
  | { readonly is: "tell"; readonly plan: RecordedPlan }
  | { readonly is: "apply"; readonly isBegun: boolean; readonly approved: PlanDigests; readonly state: unknown };

type Known = Extract<RecordLife, { readonly is: "open" | "planned" }>;

/** Throws COMMAND_APPROVAL_MISSING, COMMAND_APPROVAL_MISMATCH, COMMAND_PLAN_MISSING, COMMAND_PROPOSAL_UNAPPROVED or COMMAND_EXPIRED: nothing is done. */
export function chooseNextAction(
  envelope: CommandEnvelope,
  life: Known,
  { hubNowMs, isCancelled }: { readonly hubNowMs: number; readonly isCancelled: boolean },
): NextAction {
  const { approval } = envelope;
  const approved = life.is === "open" ? life.approved : life.digests;
  requireApprovable(envelope);
  switch (approval?.is) {
    case undefined:
      if (life.is === "planned" || approved !== undefined) throw executeErrors.COMMAND_APPROVAL_MISSING();
      return { is: "run", isBegun: life.state !== undefined };
    case "needed":
      if (life.is === "planned" && life.approved === undefined) return { is: "tell", plan: life };
      if (approved !== undefined) throw executeErrors.COMMAND_APPROVAL_MISSING();
      return { is: "plan", isBegun: false, keptMs: approval.keptMs };
    case "given": {
      if (approved === undefined) throw executeErrors.COMMAND_PLAN_MISSING();
      if (approved.asked !== digestOfAsked(envelope)) throw executeErrors.COMMAND_APPROVAL_MISMATCH();
      const before = life.is === "planned" ? life.approved : undefined;
      if (life.is === "planned" && before?.shown === approval.digest)
        // Nobody has approved the plan that is there: what was done until then is put right, or people are asked.
        return isCancelled
          ? { is: "apply", isBegun: true, approved: before, state: life.state }
          : { is: "tell", plan: life };
      if (approved.shown !== approval.digest) throw executeErrors.COMMAND_APPROVAL_MISMATCH();
      const isBegun = life.is === "open" || before !== undefined;
      // A command that began in time is brought to its end, however late.
      if (!isBegun && hubNowMs > approval.untilMs + leewayMs) throw executeErrors.COMMAND_EXPIRED();
      return { is: "apply", isBegun, approved, state: life.state };
    }
  }
}

/** A hub that forgets the approval can't have a proposal carried out: the envelope says what it is. */
function requireApprovable({ proposal, approval, dryRun }: CommandEnvelope): void {
  if (proposal !== undefined && approval === undefined && !dryRun) throw executeErrors.COMMAND_PROPOSAL_UNAPPROVED();
}

/** Shows that a plan is carried out with the same kind, spec and service account that it was made for. */
export function digestOfAsked({ kind, spec, serviceAccount }: CommandEnvelope): string {
  return digestOfPlan(kind, spec, serviceAccount ?? null);
}

/** Checks a command that this cluster has no record of. Throws also COMMAND_EXPIRED and COMMAND_NOT_YET. */
export function requireBeginnable(envelope: CommandEnvelope, hubNowMs: number): void {
  checkTime(envelope, hubNowMs);
  if (envelope.approval?.is === "given") throw executeErrors.COMMAND_PLAN_MISSING();
}
