// Gives commands to agents, and lets agents hold on to them. A claim is a lease by the database's clock; a command that is
// claimed again has a higher epoch, and what is said under the one before doesn't count any more.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { endIfIdle } from "../runs/index.ts";
import type { KeptApproval } from "./judge-parties.ts";

export interface ClaimedRow {
  readonly id: string;
  readonly epoch: number;
  readonly cluster: string;
  readonly kind: string;
  readonly spec: string;
  readonly dry_run: boolean;
  readonly requester: string;
  readonly service_account: string | null;
  readonly cancellation: "graceful" | "forced" | null;
  readonly log_bytes: number;
  readonly trace_parent: string | null;
  readonly created_at: Date;
  /** Until then the agent may begin it: its deadline, or a little after a claim that came just before that or later. */
  readonly expires_at: Date;
  readonly deadline_at: Date;
  /** Now, by the database's clock. */
  readonly claimed_at: Date;
  /** Empty: it needs no approval. */
  readonly approvals_required: number | null;
  readonly approval_seconds: number | null;
  /** Empty: it is to be planned. */
  readonly plan_digest: string | null;
  readonly approved_by: readonly string[] | null;
  readonly is_proposal: boolean;
  readonly is_vouched: boolean;
  readonly plan_approved_by: string | null;
  readonly template: string | null;
  /** As it is kept. */
  readonly asker: string;
  readonly plan_approver: string | null;
  /** The claim under which it was planned. */
  readonly plan_epoch: number | null;
  readonly approvals: readonly KeptApproval[] | null;
}

export interface Claiming {
  readonly cluster: string;
  readonly agentInstanceId: string;
  readonly most: number;
  readonly kinds: readonly string[];
}

export interface HeldClaim {
  readonly id: string;
  readonly epoch: number;
  readonly giveBack: boolean;
}

export interface Renewed {
  readonly id: string;
  readonly epoch: number;
  readonly cancellation: "graceful" | "forced" | null;
}

export interface CommandClaims {
  claim(claiming: Claiming): Promise<readonly ClaimedRow[]>;
  /** Those that are still held under these epochs. */
  renew(cluster: string, agentInstanceId: string, held: readonly HeldClaim[]): Promise<readonly Renewed[]>;
  /** Those of the cluster that haven't ended. */
  listOpen(cluster: string, ids: readonly string[]): Promise<ReadonlySet<string>>;
}

export function createClaims(options: {
  readonly db: Kysely<Tables>;
  /** Makes the cluster's commands whose leases are over free to be claimed. */
  readonly freeLeases: (cluster: string) => Promise<void>;
  /** False: those who decided on it may not any more. */
  readonly isUpheld: (row: ClaimedRow) => boolean;
  /** Undoes what they decided. */
  readonly uphold: (id: string) => Promise<void>;
}): CommandClaims {
  const { db, freeLeases, isUpheld, uphold } = options;
  return {
    async claim(claiming) {
      // What ends or lapses just now waits for the next claim.
      for (let left = maxTries; left > 0; left--) {
        const tried = await tryToClaim(claiming);
        if (tried.is === "claimed") return tried.rows;
        if (tried.is === "leases are over") await freeLeases(claiming.cluster);
        else for (const id of tried.ids) await uphold(id);
      }
      return [];
    },

    async renew(cluster, agentInstanceId, held) {
      const kept = held.filter(({ giveBack }) => !giveBack);
      const { rows } = await sql<Renewed>`
        update command set lease_until = ${leaseEnd}
        from unnest(${kept.map(({ id }) => id)}::text[], ${kept.map(({ epoch }) => epoch)}::bigint[]) as held (id, epoch)
        where command.id = held.id and command.epoch = held.epoch and command.cluster = ${cluster}
          and claimed_by = ${agentInstanceId} and state in ${heldStates}
        returning command.id, command.epoch, cancellation
      `.execute(db);
      return rows;
    },

    async listOpen(cluster, ids) {
      if (ids.length === 0) return new Set();
      const rows = await db
        .selectFrom("command")
        .select("id")
        .where("id", "in", ids)
        .where("cluster", "=", cluster)
        .where("finished_at", "is", null)
        .execute();
      return new Set(rows.map(({ id }) => id));
    },
  };

  async function tryToClaim(claiming: Claiming): Promise<Tried> {
    try {
      return await tryInTransaction(claiming);
    } catch (error) {
      if (error instanceof NotUpheld) return { is: "not upheld", ids: error.ids };
      throw error;
    }
  }

  async function tryInTransaction(claiming: Claiming): Promise<Tried> {
    return await db.transaction().execute(async (trx) => {
      // In turn, or two at once would count the same ones. Each sees what the one before has committed.
      const [queue] = await trx
        .selectFrom("command_queue")
        .select([endIfIdle.as("idle"), hasLapsed(claiming.cluster).as("has_lapsed")])
        .where("cluster", "=", claiming.cluster)
        .forUpdate()
        .execute();
      if (!queue) return { is: "claimed", rows: [] };
      if (queue.has_lapsed) return { is: "leases are over" };
      const { rows } = await toClaim(claiming).execute(trx);
      const fallen = rows.filter((row) => isUntouched(row) && !isUpheld(row));
      // Nobody has claimed any of them then.
      if (fallen.length > 0) throw new NotUpheld(fallen.map(({ id }) => id));
      return { is: "claimed", rows };
    });
  }
}

type Tried =
  | { readonly is: "claimed"; readonly rows: readonly ClaimedRow[] }
  | { readonly is: "leases are over" }
  | { readonly is: "not upheld"; readonly ids: readonly string[] };

class NotUpheld extends Error {
  readonly ids: readonly string[];

  constructor(ids: readonly string[]) {
    super("what was decided doesn't hold any more");
    this.ids = ids;
  }
}

/** People decided on it, and nothing of it has begun: what may be half done is brought to its end. */
function isUntouched(row: ClaimedRow): boolean {
  const { approvals_required: required, is_proposal: isProposal, plan_epoch: planEpoch, epoch, cancellation } = row;
  if ((required === null && !isProposal) || cancellation !== null) return false;
  return planEpoch === null || epoch === planEpoch + 1;
}

function hasLapsed(cluster: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from command
    where cluster = ${cluster} and state in ${heldStates} and finished_at is null and lease_until <= clock_timestamp()
  )`;
}

/**
 * Chooses and claims in one statement. Rows that another claim is just taking are passed over. Commands that were
 * claimed before come first, then those that have waited longest for their priority. No command passes an earlier one
 * of its target.
 */
function toClaim({ cluster, agentInstanceId, most, kinds }: Claiming): RawBuilder<ClaimedRow> {
  return sql<ClaimedRow>`
    with candidate as (
      select id, spec_bytes, row_number() over (order by ${urgency}) as place
      from (
        select id, number, epoch, priority, created_at, spec_bytes from command as wanted
        where cluster = ${cluster} and state in ${claimableStates} and finished_at is null
          and kind = any (${[...kinds]}::text[])
          and (${mayHaveBegunSql} or deadline_at > clock_timestamp())
          and exists (
            select from cluster where name = wanted.cluster and cluster.incarnation = wanted.incarnation
              and revoked_at is null and coalesce(wanted.cluster_uid = kube_system_uid, true)
          )
          and not exists (
            select from command as earlier where earlier.cluster = wanted.cluster and earlier.target = wanted.target
              and earlier.number < wanted.number and earlier.finished_at is null
          )
        order by ${urgency}
        limit greatest(0, least(${most}::integer, ${maxHeld}::integer - (
          select count(*)::integer from command where cluster = ${cluster} and finished_at is null and state in ${heldStates}
        )))
        for update skip locked
      ) as free
    ), fitting as (
      select id, place from (select id, place, sum(spec_bytes) over (order by place) as total from candidate) as summed
      where total <= ${maxAnswerBytes} or place = 1
    ), taken as (
      update command set state = case
          when is_proposal then 'proposed/claimed' when approvals_required is null then 'claimed' else 'gated/claimed'
        end,
        epoch = epoch + 1, reported = 0, claimed_by = ${agentInstanceId}, lease_until = ${leaseEnd}
      from fitting where command.id = fitting.id
      returning command.*, place
    ), told as (
      insert into command_step (command, actor, from_state, to_state)
      select id, ${`agent ${agentInstanceId}`}, case when plan_epoch is null or ends_as is not null then 'queued' else 'approved' end, 'claimed'
      from taken
    )
    select taken.id, epoch, taken.cluster, kind, spec, dry_run, requester, service_account, cancellation, created_at,
      trace_parent,
      coalesce(bytes, 0)::bigint as log_bytes,
      greatest(deadline_at, clock_timestamp() + interval '10 minutes') as expires_at, deadline_at,
      clock_timestamp() as claimed_at, approvals_required, approval_seconds, plan_digest,
      is_proposal, is_vouched, plan_approved_by, template, asker, plan_approver, plan_epoch, (
        select json_agg(json_build_object('approver', approver, 'approver_uid', approver_uid, 'asker', asker))
        from command_approval where command_approval.command = taken.id and round = plan_round
      ) as approvals, (
        select array_agg(approver order by at) from command_approval
        where command_approval.command = taken.id and round = plan_round
      ) as approved_by
    from taken left join command_log on command_log.command = taken.id order by place
  `;
}

/** A priority rises by one for each half a minute that a command waits, so that none waits for ever. */
const urgency = sql`
  (epoch > 0) desc,
  priority + least(floor(extract(epoch from statement_timestamp() - created_at) / 30), 10) desc,
  number
`;

export const heldStates: RawBuilder<unknown> = sql`(
  'claimed', 'resolving', 'running',
  'gated/claimed', 'gated/resolving', 'gated/running', 'gated/applying',
  'proposed/claimed', 'proposed/resolving', 'proposed/running', 'proposed/applying'
)`;
export const claimableStates: RawBuilder<unknown> = sql`(
  'queued', 'gated/queued', 'gated/approved', 'proposed/queued', 'proposed/approved'
)`;
export const waitingStates: RawBuilder<unknown> = sql`(
  'gated/awaiting-approval', 'proposed/awaiting-approval', 'proposed/awaiting-plan-approval'
)`;
/** To change something: see the life of a command. */
export const mayHaveBegunSql: RawBuilder<boolean> = sql<boolean>`
  coalesce(epoch > coalesce(prior_plan_epoch, plan_epoch, case when approvals_required is null and not is_proposal then 0 end), false)
`;
export const claimMs = 30_000;
const leaseEnd = sql`clock_timestamp() + ${claimMs}::float8 * interval '1 millisecond'`;
const maxTries = 4;
/** The most commands that a cluster holds at a time. */
export const maxHeld = 16;
/** A message of a typed call has room for three times as much. */
const maxAnswerBytes = 4 * 1024 * 1024;
