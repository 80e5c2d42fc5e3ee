// Takes over the state of a rollout's commands: those that have ended, and those that wait for approval.
import { sql, type Transaction } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { awaitedApproval } from "../../commands/index.ts";
import { rolloutErrors } from "./errors.ts";
import type { RolloutRow } from "./rows.ts";

export interface TakenCommands {
  readonly succeeded: number;
  readonly failed: number;
  /** How many begin to wait for approval, wait for one less, or don't wait any more. */
  readonly moved: number;
  /** All that wait for approval now. */
  readonly awaiting: number;
}

/** The rollout's row is held. A command that was forgotten after its end counts as lost. */
export async function takeCommands(
  trx: Transaction<Tables>,
  { id, version }: Pick<RolloutRow, "id" | "version">,
): Promise<TakenCommands> {
  const forgotten = rolloutErrors.ROLLOUT_COMMAND_UNSUCCESSFUL({ outcome: "forgotten" });
  const { rows } = await sql<TakenCommands>`
    with looked as (
      select part.place, part.approval as before, ${awaitedApproval} as approval,
        command.id is null or command.finished_at is not null as is_over,
        coalesce(command.state, 'lost') as outcome, command.code, command.message, command.hint
      from rollout_cluster as part left join command on command.id = part.command
      where part.rollout = ${id} and part.state = 'running'
    ), taken as (
      update rollout_cluster as part set version = ${version + 1}, approval = null,
        state = case when outcome = 'succeeded' then 'succeeded' else 'failed' end,
        code = case when outcome = 'succeeded' then null else coalesce(looked.code, ${forgotten.code}) end,
        message = case when outcome = 'succeeded' then null
          else coalesce(looked.message, 'The command ended as ' || outcome || '.') end,
        hint = case when outcome = 'succeeded' then null
          else coalesce(looked.hint, case when looked.code is null then ${forgotten.hint ?? null} end) end
      from looked where part.rollout = ${id} and part.place = looked.place and is_over returning part.state
    ), moved as (
      update rollout_cluster as part set version = ${version + 1}, approval = looked.approval
      from looked
      where part.rollout = ${id} and part.place = looked.place and not is_over and before is distinct from looked.approval
      returning 1
    )
    select (select count(*) from taken where state = 'succeeded') as succeeded,
      (select count(*) from taken where state = 'failed') as failed, (select count(*) from moved) as moved,
      (select count(*) from looked where approval is not null) as awaiting
  `.execute(trx);
  return rows[0] ?? { succeeded: 0, failed: 0, moved: 0, awaiting: 0 };
}
