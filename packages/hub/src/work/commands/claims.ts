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
}

export function createClaims(db: Kysely<Tables>): CommandClaims {
  return {
    claim: (claiming) =>
      db.transaction().execute(async (trx) => {
        // In turn, or two at once would count the same ones. What comes after sees what the one before has committed.
        const queue = trx
          .selectFrom("command_queue")
          .select(endIfIdle.as("idle"))
          .where("cluster", "=", claiming.cluster);
        if ((await queue.forUpdate().execute()).length === 0) return [];
        const { rows } = await toClaim(claiming).execute(trx);
        return rows;
      }),

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
  };
}

/**
 * One statement: what another one is just taking is passed over. What was claimed before comes first, then what has waited
 * longest for its priority. Nothing passes an earlier one of its target.
 */
function toClaim({ cluster, agentInstanceId, most, kinds }: Claiming): RawBuilder<ClaimedRow> {
  return sql<ClaimedRow>`
    with candidate as (
      select id, spec_bytes, row_number() over (order by ${urgency}) as place
      from (
        select id, number, epoch, priority, created_at, spec_bytes from command as wanted
        where cluster = ${cluster} and state = 'queued' and finished_at is null and kind = any (${[...kinds]}::text[])
          and (epoch > 0 or deadline_at > clock_timestamp())
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
      update command set state = 'claimed', epoch = epoch + 1, reported = 0, claimed_by = ${agentInstanceId},
        lease_until = ${leaseEnd}
      from fitting where command.id = fitting.id
      returning command.*, place
    ), told as (
      insert into command_step (command, actor, from_state, to_state)
      select id, ${`agent ${agentInstanceId}`}, 'queued', 'claimed' from taken
    )
    select taken.id, epoch, taken.cluster, kind, spec, dry_run, requester, service_account, cancellation, created_at,
      coalesce(bytes, 0)::bigint as log_bytes, greatest(deadline_at, clock_timestamp() + interval '10 minutes') as expires_at
    from taken left join command_log on command_log.command = taken.id order by place
  `;
}

/** A priority rises by one for each half a minute that a command waits, so that none waits for ever. */
const urgency = sql`
  (epoch > 0) desc,
  priority + least(floor(extract(epoch from statement_timestamp() - created_at) / 30), 10) desc,
  number
`;

export const heldStates: RawBuilder<unknown> = sql`('claimed', 'resolving', 'running')`;
export const claimMs = 30_000;
const leaseEnd = sql`clock_timestamp() + ${claimMs}::float8 * interval '1 millisecond'`;
/** Of a cluster at a time. */
export const maxHeld = 16;
/** A message of a typed call has room for three times as much. */
const maxAnswerBytes = 4 * 1024 * 1024;
