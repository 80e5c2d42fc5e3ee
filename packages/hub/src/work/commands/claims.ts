// Gives commands to agents, and lets agents hold on to them. A claim is a lease by the database's clock; a command that is
// claimed again has a higher epoch, and what is said under the one before doesn't count any more.
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import { endIfIdle } from "../runs/index.ts";

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
}

export interface Claiming {
  readonly cluster: string;
  readonly agentInstanceId: string;
  readonly most: number;
  readonly kinds: readonly string[];
  /** It knows of plans and approvals. */
  readonly canPlan: boolean;
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
}): CommandClaims {
  const { db, freeLeases } = options;
  return {
    async claim(claiming) {
      const first = await tryToClaim(claiming);
      if (first !== "leases are over") return first;
      await freeLeases(claiming.cluster);
      const second = await tryToClaim(claiming);
      // Just now one more: it waits for the next claim.
      return second === "leases are over" ? [] : second;
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

  async function tryToClaim(claiming: Claiming): Promise<readonly ClaimedRow[] | "leases are over"> {
    return await db.transaction().execute(async (trx) => {
      // In turn, or two at once would count the same ones. Each sees what the one before has committed.
      const [queue] = await trx
        .selectFrom("command_queue")
        .select([endIfIdle.as("idle"), hasLapsed(claiming.cluster).as("has_lapsed")])
        .where("cluster", "=", claiming.cluster)
        .forUpdate()
        .execute();
      if (!queue) return [];
      if (queue.has_lapsed) return "leases are over";
      const { rows } = await toClaim(claiming).execute(trx);
      return rows;
    });
  }
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
function toClaim({ cluster, agentInstanceId, most, kinds, canPlan }: Claiming): RawBuilder<ClaimedRow> {
  return sql<ClaimedRow>`
    with candidate as (
      select id, spec_bytes, row_number() over (order by ${urgency}) as place
      from (
        select id, number, epoch, priority, created_at, spec_bytes from command as wanted
        where cluster = ${cluster} and state in ${canPlan ? claimableStates : plainStates} and finished_at is null
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
      update command set state = case when approvals_required is null then 'claimed' else 'gated/claimed' end,
        epoch = epoch + 1, reported = 0, claimed_by = ${agentInstanceId}, lease_until = ${leaseEnd}
      from fitting where command.id = fitting.id
      returning command.*, place
    ), told as (
      insert into command_step (command, actor, from_state, to_state)
      select id, ${`agent ${agentInstanceId}`}, case when plan_epoch is null then 'queued' else 'approved' end, 'claimed'
      from taken
    )
    select taken.id, epoch, taken.cluster, kind, spec, dry_run, requester, service_account, cancellation, created_at,
      coalesce(bytes, 0)::bigint as log_bytes,
      greatest(deadline_at, clock_timestamp() + interval '10 minutes') as expires_at, deadline_at,
      clock_timestamp() as claimed_at, approvals_required, approval_seconds, plan_digest, (
        select array_agg(approver order by at) from command_approval where command_approval.command = taken.id
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
  'gated/claimed', 'gated/resolving', 'gated/running', 'gated/applying'
)`;
const plainStates = sql`('queued')`;
export const claimableStates: RawBuilder<unknown> = sql`('queued', 'gated/queued', 'gated/approved')`;
/** To change something: see the life of a command. */
export const mayHaveBegunSql: RawBuilder<boolean> = sql<boolean>`
  coalesce(epoch > coalesce(plan_epoch, case when approvals_required is null then 0 end), false)
`;
export const claimMs = 30_000;
const leaseEnd = sql`clock_timestamp() + ${claimMs}::float8 * interval '1 millisecond'`;
/** The most commands that a cluster holds at a time. */
export const maxHeld = 16;
/** A message of a typed call has room for three times as much. */
const maxAnswerBytes = 4 * 1024 * 1024;
