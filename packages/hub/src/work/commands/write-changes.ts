// Writes what has become of commands, with the steps of it, in one statement for all of them.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { NewStep } from "../runs/index.ts";
import type { CommandState } from "./command-state.ts";
import { type CommandRow, commandColumns, toStored } from "./rows.ts";

/** Columns beside the state; those that are left out stay as they are. */
export interface Told {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly hint?: string | undefined;
  readonly result?: string | undefined;
  readonly logEnd?: number | undefined;
  readonly plan?: { readonly digest: string; readonly json: string } | undefined;
  /** Why the agent holds a proposal back, as JSON. */
  readonly hold?: string | undefined;
}

export interface Written {
  readonly id: string;
  readonly state: CommandState;
  readonly told: Told;
  /** An approved command may wait for an agent as long as a new one. */
  readonly waitsAgain: boolean;
  /** For people. */
  readonly beginsToWait: boolean;
}

/** The rows as they are then, by id. */
export async function writeChanges(
  trx: Kysely<Tables>,
  changes: readonly Written[],
  steps: readonly NewStep[],
): Promise<ReadonlyMap<string, CommandRow>> {
  if (changes.length === 0) return new Map();
  const { rows } = await sql<CommandRow>`
    with step as (
      insert into command_step (command, actor, from_state, to_state, reason)
      select command, actor, from_state, to_state, reason from unnest(
        ${steps.map(({ command }) => command)}::text[], ${steps.map(({ actor }) => actor)}::text[],
        ${steps.map(({ from }) => from ?? null)}::text[], ${steps.map(({ to }) => to)}::text[],
        ${steps.map(({ reason }) => reason ?? null)}::text[]
      ) with ordinality as step (command, actor, from_state, to_state, reason, place) order by place
    )
    update command set
      state = change.state, epoch = change.epoch, reported = change.reported, lapses = change.lapses,
      cancellation = change.cancellation,
      finished_at = case when has_ended then clock_timestamp() else finished_at end,
      code = coalesce(change.code, command.code),
      message = case when change.code is null then command.message else change.message end,
      hint = case when change.code is null then command.hint else change.hint end,
      result = coalesce(change.result, command.result),
      result_bytes = coalesce(octet_length(change.result), result_bytes),
      log_end = coalesce(change.log_end, command.log_end),
      approvals_given = coalesce(given, approvals_given),
      plan_epoch = case when given is null then command.plan_epoch else change.plan_epoch end,
      plan = coalesce(change.plan, command.plan), plan_bytes = coalesce(octet_length(change.plan), plan_bytes),
      plan_digest = case
        when change.prior_epoch is null and command.prior_plan_epoch is not null then command.prior_plan_digest
        else coalesce(change.plan_digest, command.plan_digest)
      end,
      prior_plan_digest = case
        when change.prior_epoch is null then null
        when change.plan_digest is null then command.prior_plan_digest
        else command.plan_digest
      end,
      prior_plan_epoch = change.prior_epoch, plan_round = coalesce(round, plan_round), ends_as = change.ends_as,
      plan_hold = coalesce(change.plan_hold, command.plan_hold),
      plan_hold_epoch = coalesce(change.plan_hold_epoch, command.plan_hold_epoch),
      approval_until = case
        when begins_to_wait then clock_timestamp() + approval_seconds * interval '1 second' else approval_until
      end,
      deadline_at = case
        when waits_again then greatest(deadline_at, clock_timestamp() + (deadline_at - created_at)) else deadline_at
      end
    from unnest(${arraysOf(changes)}) as change (
      id, state, epoch, reported, lapses, cancellation, has_ended, code, message, hint, result, log_end, given,
      plan_epoch, plan, plan_digest, waits_again, begins_to_wait, plan_hold, plan_hold_epoch,
      prior_epoch, round, ends_as
    )
    where command.id = change.id
    returning ${sql.join(commandColumns.map((column) => sql.ref(`command.${column}`)))}
  `.execute(trx);
  return new Map(rows.map((row) => [row.id, row]));
}

/** In the order of the columns above. */
function arraysOf(changes: readonly Written[]): RawBuilder<unknown> {
  const column = (type: string, read: (change: Written) => string | number | boolean | null | undefined) =>
    sql`${changes.map((change) => read(change) ?? null)}::${sql.raw(type)}[]`;
  return sql.join([
    column("text", ({ id }) => id),
    column("text", ({ state }) => toStored(state)),
    column("bigint", ({ state }) => state.epoch),
    column("bigint", ({ state }) => state.reported),
    column("integer", ({ state }) => state.lapses),
    column("text", ({ state }) => state.cancellation),
    column("boolean", ({ state }) => state.is === "ended"),
    column("text", ({ told }) => told.code),
    column("text", ({ told }) => told.message ?? ""),
    column("text", ({ told }) => told.hint),
    column("text", ({ told }) => told.result),
    column("bigint", ({ told }) => told.logEnd),
    column("smallint", ({ state }) => state.gate?.given),
    column("bigint", ({ state }) => state.gate?.planEpoch),
    column("text", ({ told }) => told.plan?.json),
    column("text", ({ told }) => told.plan?.digest),
    column("boolean", ({ waitsAgain }) => waitsAgain),
    column("boolean", ({ beginsToWait }) => beginsToWait),
    column("text", ({ told }) => told.hold),
    column("bigint", ({ state }) => state.proposal?.heldEpoch),
    column("bigint", ({ state }) => state.gate?.priorEpoch),
    column("smallint", ({ state }) => state.gate?.round),
    column("text", ({ state }) => state.endsAs),
  ]);
}
