// People decide on plans. Their rights to decide are judged while the command's row is locked: two who come at once
// come one after the other, at whichever hubs.
import {
  type ApproveCommandRequest,
  type ApprovePlanningRequest,
  type Command,
  commandLimits,
  type GivenApproval,
  type RejectCommandRequest,
} from "@fairlead/contract";
import type { Kysely, Transaction } from "kysely";
import { type Access, isOneParty, type Principal } from "../../people/access/index.ts";
import { type Tables, toStorableText } from "../../platform/store/index.ts";
import { countLogBytes } from "../runs/index.ts";
import { keepAsker, readAsker } from "./askers.ts";
import { isWaiting } from "./command-state.ts";
import { commandErrors } from "./errors.ts";
import { findCommand } from "./find-command.ts";
import { type JudgeParties, toEvent, type Verdict } from "./judge-parties.ts";
import { kindsOfCommand } from "./kinds-of.ts";
import type { CommandRights } from "./rights.ts";
import { nameOf, toCommand, toState } from "./rows.ts";
import type { CommandStore, LockedRow } from "./store.ts";
import { forgetLost, judgeLocked, listKept, toldOf } from "./uphold.ts";

export interface Approvals {
  /**
   * Throws COMMAND_PLAN_MISMATCH, COMMAND_APPROVER_IS_REQUESTER, COMMAND_APPROVED_BEFORE, COMMAND_APPROVAL_EXPIRED,
   * COMMAND_NOT_AWAITING or COMMAND_ENDED.
   */
  approve(principal: Principal, id: string, request: ApproveCommandRequest): Promise<Command>;
  /**
   * Lets the agent plan a proposal. It takes the right to create such commands. Throws ACCESS_DENIED,
   * COMMAND_APPROVER_IS_REQUESTER, COMMAND_PLANNING_UNAPPROVED, COMMAND_PLANNING_NOT_AWAITED or COMMAND_ENDED.
   */
  approvePlanning(principal: Principal, id: string, request: ApprovePlanningRequest): Promise<Command>;
  /** Throws ACCESS_DENIED, COMMAND_APPROVAL_EXPIRED, COMMAND_NOT_AWAITING or COMMAND_ENDED. */
  reject(principal: Principal, id: string, request: RejectCommandRequest): Promise<Command>;
}

export function createApprovals(options: {
  readonly store: CommandStore;
  readonly rights: CommandRights;
  readonly access: Pick<Access, "partyOf">;
  readonly judge: JudgeParties;
  /** For what people ask. */
  readonly queries: Kysely<Tables>;
}): Approvals {
  const { store, rights, access, judge, queries } = options;
  return {
    async approve(principal, id, { digest, comment }) {
      const row = await findCommand(options, { principal, id, verb: "approve" });
      let verdict: Verdict | undefined;
      const happened = await store.happen({
        id,
        actor: principal.name,
        async first(trx, locked) {
          await requireRight(trx, principal, "approve", locked);
          requireAwaiting(locked);
          if (locked.plan_digest !== digest) throw commandErrors.COMMAND_PLAN_MISMATCH();
          if (locked.four_eyes) requireOther(principal, locked);
          verdict = await judgeLocked(trx, judge, locked);
          // Kept apart from the approval: the command ends, whoever approves it.
          if (verdict.trouble) return;
          await forgetLost(trx, locked, verdict);
          await requireNewParty(trx, principal, locked);
          await keepApproval(trx, { command: locked, principal, comment, asker: keepAsker(access, principal) });
        },
        event: () => (verdict?.trouble ? toEvent(verdict) : { type: "approved", lost: verdict?.lost.length ?? 0 }),
        reason: () => verdict?.trouble?.code ?? (comment === undefined ? "approved" : `approved: ${toReason(comment)}`),
        outcome: () => verdict && toldOf(verdict),
      });
      return toCommand(happened?.row ?? row, await countLogBytes(queries, id));
    },

    async approvePlanning(principal, id, { comment }) {
      const row = await findCommand(options, { principal, id, verb: "get" });
      const happened = await store.happen({
        id,
        event: { type: "plan-approved" },
        actor: principal.name,
        reason: comment === undefined ? "approved to be planned" : `approved to be planned: ${toReason(comment)}`,
        async first(trx, locked) {
          await requireRight(trx, principal, "create", locked);
          requirePlanningAwaited(locked);
          requireOther(principal, locked);
          const kept = { plan_approved_by: principal.name, plan_approver: keepAsker(access, principal) };
          await trx.updateTable("command").set(kept).where("id", "=", id).execute();
        },
      });
      return toCommand(happened?.row ?? row, await countLogBytes(queries, id));
    },

    async reject(principal, id, { comment }) {
      const row = await findCommand(options, { principal, id, verb: "get" });
      const { code, message, hint } = commandErrors.COMMAND_REJECTED({ approver: principal.name });
      const happened = await store.happen({
        id,
        event: { type: "rejected" },
        actor: principal.name,
        reason: toReason(comment),
        async first(trx, locked) {
          // Whoever may approve that it is planned may say that it isn't.
          const isToPlan = toState(locked).is === "awaiting-plan" && !rights.may(principal, "approve", locked);
          if (isToPlan) await requireRight(trx, principal, "create", locked);
          else rights.require(principal, "approve", locked);
          requireWaiting(locked);
        },
        outcome: () => ({ code, message, hint }),
      });
      return toCommand(happened?.row ?? row, await countLogBytes(queries, id));
    },
  };

  /** For a flow also on what its steps do. Throws ACCESS_DENIED. */
  async function requireRight(
    trx: Transaction<Tables>,
    principal: Principal,
    verb: "create" | "approve",
    row: LockedRow,
  ): Promise<void> {
    for (const kind of await kindsOfCommand(trx, row)) rights.require(principal, verb, { ...row, kind });
  }

  /** Throws COMMAND_APPROVED_BEFORE also for another robot of somebody who has approved it. */
  async function requireNewParty(trx: Transaction<Tables>, principal: Principal, row: LockedRow): Promise<void> {
    const party = access.partyOf(principal);
    for (const { asker } of await listKept(trx, row))
      if (isOneParty(readAsker(asker).party, party)) throw commandErrors.COMMAND_APPROVED_BEFORE();
  }

  /** Throws COMMAND_APPROVER_IS_REQUESTER also for the requester's robots, and for who made the requesting robot. */
  function requireOther(principal: Principal, row: LockedRow): void {
    if (isOneParty(readAsker(row.asker).party, access.partyOf(principal)))
      throw commandErrors.COMMAND_APPROVER_IS_REQUESTER();
  }
}

/** Oldest first. */
export async function listApprovals(db: Kysely<Tables>, command: string): Promise<GivenApproval[]> {
  const rows = await db
    .selectFrom("command_approval")
    .select(["approver", "at", "comment", "round"])
    .where("command", "=", command)
    .orderBy("at")
    .execute();
  return rows.map(({ approver: by, at, comment, round }) => ({
    by,
    at: at.toISOString(),
    ...(round > 1 ? { round } : {}),
    ...(comment === null ? {} : { comment }),
  }));
}

function requireAwaiting(row: LockedRow): void {
  const state = toState(row);
  if (state.is === "awaiting-plan") throw commandErrors.COMMAND_NOT_AWAITING({ state: nameOf(state) });
  requireWaiting(row);
}

function requirePlanningAwaited(row: LockedRow): void {
  const state = toState(row);
  if (state.is === "ended") throw commandErrors.COMMAND_ENDED({ outcome: state.outcome });
  if (state.is !== "awaiting-plan") throw commandErrors.COMMAND_PLANNING_NOT_AWAITED({ state: nameOf(state) });
  if (row.is_approval_over) throw commandErrors.COMMAND_PLANNING_UNAPPROVED();
}

function requireWaiting(row: LockedRow): void {
  const state = toState(row);
  if (state.is === "ended") throw commandErrors.COMMAND_ENDED({ outcome: state.outcome });
  if (!isWaiting(state)) throw commandErrors.COMMAND_NOT_AWAITING({ state: nameOf(state) });
  // The sweep, which ends such commands, hasn't reached this one yet.
  if (row.is_approval_over) throw commandErrors.COMMAND_APPROVAL_EXPIRED();
}

async function keepApproval(
  trx: Transaction<Tables>,
  {
    command,
    principal,
    comment,
    asker,
  }: {
    readonly command: Pick<LockedRow, "id" | "plan_round">;
    readonly principal: Principal;
    readonly comment?: string | undefined;
    readonly asker: string;
  },
): Promise<void> {
  const kept = await trx
    .insertInto("command_approval")
    .values({
      command: command.id,
      round: command.plan_round,
      approver_uid: principal.uid,
      approver: principal.name,
      comment: toReason(comment) ?? null,
      asker,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning("command")
    .executeTakeFirst();
  if (kept === undefined) throw commandErrors.COMMAND_APPROVED_BEFORE();
}

function toReason(comment: string | undefined): string | undefined {
  return comment === undefined ? undefined : toStorableText(comment, commandLimits.commentLength);
}
