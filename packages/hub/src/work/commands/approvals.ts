// People decide on plans. Their rights to decide are judged while the command's row is locked: two who come at once
// come one after the other, at whichever hubs.
import {
  type ApproveCommandRequest,
  type Command,
  commandLimits,
  type GivenApproval,
  type RejectCommandRequest,
} from "@fairlead/contract";
import type { Kysely, Transaction } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import { type Tables, toStorableText } from "../../platform/store/index.ts";
import { countLogBytes } from "../runs/index.ts";
import { commandErrors } from "./errors.ts";
import { findCommand } from "./find-command.ts";
import type { CommandRights } from "./rights.ts";
import { nameOf, toCommand, toState } from "./rows.ts";
import type { CommandStore, LockedRow } from "./store.ts";

export interface Approvals {
  /**
   * Throws COMMAND_PLAN_MISMATCH, COMMAND_APPROVER_IS_REQUESTER, COMMAND_APPROVED_BEFORE, COMMAND_APPROVAL_EXPIRED,
   * COMMAND_NOT_AWAITING or COMMAND_ENDED.
   */
  approve(principal: Principal, id: string, request: ApproveCommandRequest): Promise<Command>;
  /** Throws COMMAND_APPROVAL_EXPIRED, COMMAND_NOT_AWAITING or COMMAND_ENDED. */
  reject(principal: Principal, id: string, request: RejectCommandRequest): Promise<Command>;
}

export function createApprovals(options: {
  readonly store: CommandStore;
  readonly rights: CommandRights;
  /** For what people ask. */
  readonly queries: Kysely<Tables>;
}): Approvals {
  const { store, queries } = options;
  return {
    async approve(principal, id, { digest, comment }) {
      const row = await findCommand(options, { principal, id, verb: "approve" });
      const happened = await store.happen({
        ...{ id, event: { type: "approved" }, actor: principal.name },
        reason: comment === undefined ? "approved" : `approved: ${toReason(comment)}`,
        async first(trx, locked) {
          requireAwaiting(locked);
          if (locked.plan_digest !== digest) throw commandErrors.COMMAND_PLAN_MISMATCH();
          if (locked.four_eyes && locked.requester_uid === principal.uid)
            throw commandErrors.COMMAND_APPROVER_IS_REQUESTER();
          await keepApproval(trx, { command: id, principal, comment });
        },
      });
      return toCommand(happened?.row ?? row, await countLogBytes(queries, id));
    },

    async reject(principal, id, { comment }) {
      const row = await findCommand(options, { principal, id, verb: "approve" });
      const { code, message, hint } = commandErrors.COMMAND_REJECTED({ approver: principal.name });
      const happened = await store.happen({
        ...{ id, event: { type: "rejected" }, actor: principal.name, reason: toReason(comment) },
        first: async (_trx, locked) => requireAwaiting(locked),
        outcome: () => ({ code, message, hint }),
      });
      return toCommand(happened?.row ?? row, await countLogBytes(queries, id));
    },
  };
}

/** Oldest first. */
export async function listApprovals(db: Kysely<Tables>, command: string): Promise<GivenApproval[]> {
  const rows = await db
    .selectFrom("command_approval")
    .select(["approver", "at", "comment"])
    .where("command", "=", command)
    .orderBy("at")
    .execute();
  return rows.map(({ approver: by, at, comment }) => ({
    ...{ by, at: at.toISOString() },
    ...(comment === null ? {} : { comment }),
  }));
}

function requireAwaiting(row: LockedRow): void {
  const state = toState(row);
  if (state.is === "ended") throw commandErrors.COMMAND_ENDED({ outcome: state.outcome });
  if (state.is !== "awaiting") throw commandErrors.COMMAND_NOT_AWAITING({ state: nameOf(state) });
  // The sweep, which ends such commands, hasn't reached this one yet.
  if (row.is_approval_over) throw commandErrors.COMMAND_APPROVAL_EXPIRED();
}

async function keepApproval(
  trx: Transaction<Tables>,
  {
    command,
    principal,
    comment,
  }: { readonly command: string; readonly principal: Principal; readonly comment?: string | undefined },
): Promise<void> {
  const kept = await trx
    .insertInto("command_approval")
    .values({ command, approver_uid: principal.uid, approver: principal.name, comment: toReason(comment) ?? null })
    .onConflict((conflict) => conflict.doNothing())
    .returning("command")
    .executeTakeFirst();
  if (kept === undefined) throw commandErrors.COMMAND_APPROVED_BEFORE();
}

function toReason(comment: string | undefined): string | undefined {
  return comment === undefined ? undefined : toStorableText(comment, commandLimits.commentLength);
}
