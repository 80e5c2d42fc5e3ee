// Lets something happen to a command: its row is locked, its state decides what comes of it, and the step is kept with it.
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { addStep, endIfIdle } from "../runs/index.ts";
import { type CommandEvent, type CommandState, nextCommandState } from "./command-state.ts";
import { type CommandRow, commandColumns, nameOf, toState, toStored } from "./rows.ts";

export interface Happening {
  readonly id: string;
  readonly event: CommandEvent;
  /** Somebody's name or `hub`; undefined: the agent that has claimed it. */
  readonly actor?: string | undefined;
  readonly reason?: string | undefined;
  /** Kept if the state becomes another one. */
  readonly outcome?: ((state: CommandState) => Outcome | undefined) | undefined;
  /** What must still be true of the row when it is locked. */
  readonly holds?: ((row: LockedRow) => boolean) | undefined;
  /** In the same transaction, before it happens. What it throws undoes all. */
  readonly first?: ((trx: Transaction<Tables>, row: LockedRow) => Promise<void>) | undefined;
}

interface Outcome {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
  readonly result?: string | undefined;
  readonly logEnd?: number | undefined;
  readonly plan?: { readonly digest: string; readonly json: string } | undefined;
}

/** Times are judged by the database's clock. */
export type LockedRow = CommandRow & { readonly is_lease_over: boolean; readonly is_approval_over: boolean };

export interface Happened {
  readonly row: CommandRow;
  readonly before: CommandState;
  readonly after: CommandState;
}

export interface CommandStore {
  /** Undefined when there is no such command. */
  happen(happening: Happening): Promise<Happened | undefined>;
  find(id: string): Promise<CommandRow | undefined>;
}

export function createCommandStore(options: {
  readonly db: Kysely<Tables>;
  /** After the commit, and only if something changed. */
  readonly onHappened: (happened: Happened) => void;
}): CommandStore {
  const { db, onHappened } = options;
  return {
    async happen(happening) {
      const happened = await db.transaction().execute((trx) => settle(trx, happening));
      if (happened && happened.before !== happened.after) onHappened(happened);
      return happened;
    },
    find: (id) => db.selectFrom("command").select(commandColumns).where("id", "=", id).executeTakeFirst(),
  };
}

async function settle(trx: Transaction<Tables>, happening: Happening): Promise<Happened | undefined> {
  const { id, event, reason, outcome, holds, first } = happening;
  const row = await trx
    .selectFrom("command")
    .select(commandColumns)
    .select(sql<boolean>`coalesce(lease_until <= clock_timestamp(), false)`.as("is_lease_over"))
    .select(sql<boolean>`coalesce(approval_until <= clock_timestamp(), false)`.as("is_approval_over"))
    .select(endIfIdle.as("idle"))
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  await first?.(trx, row);
  const before = toState(row);
  const after = holds?.(row) === false ? before : nextCommandState(before, event);
  if (after === before) return { row, before, after };
  const told = outcome?.(after) ?? {};
  const actor = happening.actor ?? `agent ${row.claimed_by ?? ""}`;
  const [from, to] = [nameOf(before), nameOf(after)];
  const written = await trx
    .updateTable("command")
    .set({
      ...{ state: toStored(after), epoch: after.epoch, reported: after.reported, lapses: after.lapses },
      cancellation: after.cancellation ?? null,
      ...(after.is === "ended" ? { finished_at: sql<Date>`clock_timestamp()` } : {}),
      ...(told.code === undefined ? {} : { code: told.code, message: told.message ?? "", hint: told.hint ?? null }),
      ...(told.result === undefined ? {} : { result: told.result, result_bytes: Buffer.byteLength(told.result) }),
      ...(after.gate && { approvals_given: after.gate.given, plan_epoch: after.gate.planEpoch ?? null }),
      ...(told.plan === undefined ? {} : toPlanColumns(told.plan)),
      ...(from === "awaiting-approval" && to === "approved" ? { deadline_at: waitAgain } : {}),
      ...(told.logEnd === undefined ? {} : { log_end: told.logEnd }),
    })
    .where("id", "=", id)
    .returning(commandColumns)
    .executeTakeFirstOrThrow();
  const isApproval = before.gate?.given !== after.gate?.given;
  const isStep = from !== to || isApproval || before.cancellation !== after.cancellation;
  if (isStep) await addStep(trx, { command: id, actor, from, to, reason: reason ?? told.code });
  return { row: written, before, after };
}

function toPlanColumns({ digest, json }: NonNullable<Outcome["plan"]>) {
  const until = sql<Date>`clock_timestamp() + approval_seconds * interval '1 second'`;
  return { plan: json, plan_bytes: Buffer.byteLength(json), plan_digest: digest, approval_until: until };
}

/** What is approved may wait for an agent as long as what was asked for. */
const waitAgain = sql<Date>`greatest(deadline_at, clock_timestamp() + (deadline_at - created_at))`;
