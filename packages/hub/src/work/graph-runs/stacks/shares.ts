// How much of stacks each person may have, and all together.
import { sql, type Transaction } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { stackErrors } from "./errors.ts";

export interface StackShare {
  /**
   * The most stacks that have resources or a run under way. A stack counts for the person who asked for its first run.
   */
  readonly stacks: number;
  /** The most runs that are under way. */
  readonly runs: number;
  /** The most bytes of specs that are kept. */
  readonly bytes: number;
}

export interface StackShares {
  readonly ofOne: StackShare;
  readonly ofAll: StackShare;
}

export const stackShares: StackShares = {
  ofOne: { stacks: 100, runs: 20, bytes: 64 * 1024 * 1024 },
  ofAll: { stacks: 1_000, runs: 200, bytes: 512 * 1024 * 1024 },
};

/** Checks the shares of the stack's owner, and for runs the requester's. Throws STACK_TOO_MANY. */
export async function requireShare(
  trx: Transaction<Tables>,
  { stack, requester, newBytes }: Wanted,
  { ofOne, ofAll }: StackShares,
): Promise<void> {
  const { rows } = await sql<Counts>`
    with own as (select owner, owner_uid from stack where name = ${stack}),
    each as (
      select (stack.owner, stack.owner_uid) = (own.owner, own.owner_uid) as is_own,
        (select coalesce(sum(spec_bytes), 0) from stack_resource as known where known.stack = stack.name)
          + (select coalesce(sum(spec_bytes), 0) from stack_step join stack_run on stack_run.id = run
             where stack_run.stack = stack.name and finished_at is null) as bytes
      from stack, own
      where stack.name <> ${stack} and (exists (select from stack_resource as known where known.stack = stack.name)
        or exists (select from stack_run where stack_run.stack = stack.name and finished_at is null))
    )
    select count(*) as stacks, count(*) filter (where is_own) as own_stacks,
      coalesce(sum(bytes), 0)::bigint as bytes, coalesce(sum(bytes) filter (where is_own), 0)::bigint as own_bytes,
      (select count(*) from stack_run where finished_at is null) as runs,
      (select count(*) from stack_run where finished_at is null
        and requester_uid = ${requester.uid} and requester = ${requester.name}) as own_runs,
      (select owner from own) as owner
    from each
  `.execute(trx);
  const [counts] = rows;
  if (!counts) return;
  const { owner } = counts;
  refuseOver(requester.name, "runs in progress", counts.own_runs + 1, ofOne.runs);
  refuseOver("all users together", "runs in progress", counts.runs + 1, ofAll.runs);
  refuseOver(owner, "stacks", counts.own_stacks + 1, ofOne.stacks);
  refuseOver("all users together", "stacks", counts.stacks + 1, ofAll.stacks);
  refuseOver(owner, "bytes of specs", counts.own_bytes + newBytes, ofOne.bytes);
  refuseOver("all users together", "bytes of specs", counts.bytes + newBytes, ofAll.bytes);
}

interface Wanted {
  readonly stack: string;
  readonly requester: { readonly name: string; readonly uid: string };
  readonly newBytes: number;
}

interface Counts {
  readonly stacks: number;
  readonly own_stacks: number;
  readonly bytes: number;
  readonly own_bytes: number;
  readonly runs: number;
  readonly own_runs: number;
  readonly owner: string;
}

function refuseOver(who: string, what: string, wanted: number, limit: number): void {
  if (wanted > limit) throw stackErrors.STACK_TOO_MANY({ who, limit: `${limit} ${what}` });
}
