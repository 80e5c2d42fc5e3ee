// Undoes what doesn't hold any more: approvals of people who lost the right, and commands whose requester did.
import type { Kysely, Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { nextCommandState } from "./command-state.ts";
import { type JudgeParties, type KeptApproval, toEvent, type Verdict } from "./judge-parties.ts";
import { kindsOfCommand } from "./kinds-of.ts";
import { toState } from "./rows.ts";
import type { CommandStore, LockedRow } from "./store.ts";
import type { Told } from "./write-changes.ts";

export async function judgeLocked(trx: Transaction<Tables>, judge: JudgeParties, row: LockedRow): Promise<Verdict> {
  return judge(row, { kinds: await kindsOfCommand(trx, row), approvals: await listKept(trx, row) });
}

/** The row is locked. */
export async function forgetLost(
  trx: Transaction<Tables>,
  { id, plan_round: round }: LockedRow,
  { lost, isPlanningLost }: Verdict,
): Promise<void> {
  if (lost.length > 0)
    await trx
      .deleteFrom("command_approval")
      .where("command", "=", id)
      .where("round", "=", round)
      .where(
        "approver_uid",
        "in",
        lost.map(({ approver_uid: uid }) => uid),
      )
      .execute();
  if (isPlanningLost)
    await trx
      .updateTable("command")
      .set({ plan_approved_by: null, plan_approver: null })
      .where("id", "=", id)
      .execute();
}

/** Of a command that nobody has claimed since; its state decides what becomes of it. */
export async function uphold(store: CommandStore, judge: JudgeParties, id: string): Promise<void> {
  let verdict = nothingLost;
  let planner = "";
  await store.happen({
    id,
    actor: "hub",
    async first(trx, locked) {
      const found = await judgeLocked(trx, judge, locked);
      const state = toState(locked);
      // Another hub may have given it to an agent meanwhile.
      verdict = nextCommandState(state, toEvent(found)) === state ? nothingLost : found;
      planner = locked.plan_approved_by ?? "";
      if (!verdict.trouble) await forgetLost(trx, locked, verdict);
    },
    event: () => toEvent(verdict),
    reason: () => describe(verdict, planner),
    outcome: () => toldOf(verdict),
  });
}

export function toldOf({ trouble }: Verdict): Told | undefined {
  return trouble && { code: trouble.code, message: trouble.message, hint: trouble.hint };
}

/** Of the plan that is shown. */
export async function listKept(
  db: Kysely<Tables>,
  { id, plan_round: round }: Pick<LockedRow, "id" | "plan_round">,
): Promise<KeptApproval[]> {
  return await db
    .selectFrom("command_approval")
    .select(["approver", "approver_uid", "asker"])
    .where("command", "=", id)
    .where("round", "=", round)
    .orderBy("at")
    .execute();
}

const nothingLost: Verdict = { trouble: undefined, lost: [], isPlanningLost: false };

function describe({ trouble, lost, isPlanningLost }: Verdict, planner: string): string | undefined {
  if (trouble) return trouble.code;
  if (isPlanningLost) return `${planner} may not approve planning any more`;
  const names = lost.map(({ approver }) => approver).join(", ");
  return names === "" ? undefined : `${names} may not approve it any more`;
}
