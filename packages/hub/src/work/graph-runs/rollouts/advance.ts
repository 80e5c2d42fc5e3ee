// Takes a rollout a step further: asks the clusters whose turn it is, as far as there is room, and cancels what is to be.
import { type Clock, type FairleadError, toFairleadError } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { AbsentAsker, Access, Principal } from "../../../people/access/index.ts";
import { isStoreFailure, type Tables } from "../../../platform/store/index.ts";
import type { CommandParts, FilledCommandRequest } from "../../commands/index.ts";
import type { Advance } from "../work.ts";
import { rolloutErrors } from "./errors.ts";
import type { RolloutRow } from "./rows.ts";
import { lockRollout, type RolloutStore } from "./store.ts";

export function createAdvance(ports: {
  readonly db: Kysely<Tables>;
  readonly store: RolloutStore;
  readonly parts: CommandParts;
  readonly access: Pick<Access, "recall" | "refuseAbsent">;
  readonly clock: Clock;
}): Advance {
  const { db, store, parts, access, clock } = ports;
  /** Clusters of rollouts whose queues are full, and until when they are left alone. */
  const full = new Map<string, number>();

  return async (id, signal) => {
    const settled = await store.settle({ id });
    if (!settled || settled.after.is === "ended") return "done";
    const { row, after } = settled;
    if (row.cancellation !== null) return await cancelSome(row, signal);
    return after.is === "running" ? await askSome(row, signal) : "done";
  };

  async function askSome(row: RolloutRow, signal: AbortSignal): Promise<"more" | "done"> {
    const free = Math.min(stepSize, (row.max_parallel ?? mostParallel) - row.running);
    const turns = free > 0 ? await listTurns(row, free) : [];
    if (turns.length === 0) return "done";
    const asker = JSON.parse(row.asker) as AbsentAsker;
    const refusal = access.refuseAbsent(asker);
    const principal = access.recall(asker);
    if (refusal || !principal) {
      await store.settle({ id: row.id, event: { type: "requester-gone", refusal }, actor: "hub" });
      return "more";
    }
    const { request } = await db
      .selectFrom("rollout")
      .select("request")
      .where("id", "=", row.id)
      .executeTakeFirstOrThrow();
    const command = JSON.parse(request) as FilledCommandRequest;
    let hasFailed = false;
    for (const turn of turns) {
      if (signal.aborted) return "done";
      const error = await ask(row, turn, principal, { ...command, cluster: turn.cluster });
      if (!error) continue;
      if (error.retryable) full.set(`${row.id} ${turn.cluster}`, clock.now() + fullMs);
      else await store.failPart(row.id, turn.place, error);
      hasFailed = true;
    }
    return hasFailed || turns.length === stepSize ? "more" : "done";
  }

  /** Why it can't be asked. */
  async function ask(
    { id }: RolloutRow,
    { place }: Turn,
    principal: Principal,
    request: FilledCommandRequest,
  ): Promise<FairleadError | undefined> {
    try {
      await parts.create(principal, request, {
        whole: { is: "rollout", id },
        admit: (trx) => admit(trx, id, place),
        note: (trx, command) => note(trx, { id, place, command }),
      });
      return undefined;
    } catch (thrown) {
      if (isStoreFailure(thrown)) throw thrown;
      return toFairleadError(thrown);
    }
  }

  async function listTurns({ id, wave }: RolloutRow, most: number): Promise<Turn[]> {
    const now = clock.now();
    for (const [key, untilMs] of full) if (untilMs <= now) full.delete(key);
    const busy = [...full.keys()].flatMap((key) => (key.startsWith(`${id} `) ? [key.slice(id.length + 1)] : []));
    const { rows } = await sql<Turn>`
      select place, cluster from rollout_cluster
      where rollout = ${id} and state = 'waiting' and wave <= ${wave} and cluster <> all (${busy}::text[])
      order by place limit ${most}
    `.execute(db);
    return rows;
  }

  async function cancelSome(row: RolloutRow, signal: AbortSignal): Promise<"more" | "done"> {
    const { id, cancellation, by_whom: by } = row;
    const isWanted =
      cancellation === "forced" ? sql`coalesce(cancellation, 'graceful') = 'graceful'` : sql`cancellation is null`;
    const { rows } = await sql<{ id: string }>`
      select command.id from rollout_cluster join command on command.id = rollout_cluster.command
      where rollout_cluster.rollout = ${id} and rollout_cluster.state = 'running' and finished_at is null and ${isWanted}
      order by place limit ${stepSize}
    `.execute(db);
    for (const command of rows) {
      if (signal.aborted) return "done";
      await parts.cancel(command.id, { actor: by ?? "hub", reason: "its rollout was cancelled" });
    }
    return rows.length > 0 ? "more" : "done";
  }
}

interface Turn {
  readonly place: number;
  readonly cluster: string;
}

/**
 * Holds the rollout until its command is made: whatever was asked meanwhile counts, and no other hub makes one. Throws
 * ROLLOUT_CLUSTER_CHANGED.
 */
async function admit(trx: Transaction<Tables>, id: string, place: number): Promise<boolean> {
  const row = await lockRollout(trx, id);
  if (row?.state !== "running" || row.running >= (row.max_parallel ?? mostParallel)) return false;
  const { rows } = await sql<{ is_same: boolean }>`
    select coalesce(cluster.incarnation = part.incarnation, false) as is_same
    from rollout_cluster as part left join cluster on cluster.name = part.cluster
    where part.rollout = ${id} and part.place = ${place} and part.state = 'waiting' and part.wave <= ${row.wave}
  `.execute(trx);
  if (rows[0]?.is_same === false) throw rolloutErrors.ROLLOUT_CLUSTER_CHANGED();
  return rows[0] !== undefined;
}

async function note(
  trx: Transaction<Tables>,
  { id, place, command }: { readonly id: string; readonly place: number; readonly command: string },
): Promise<void> {
  await sql`
    with noted as (
      update rollout set version = version + 1, waiting = waiting - 1, running = running + 1 where id = ${id}
      returning version
    )
    update rollout_cluster set state = 'running', command = ${command}, version = noted.version from noted
    where rollout = ${id} and place = ${place}
  `.execute(trx);
}

const stepSize = 16;
/** Commands of a rollout that haven't ended, unless fewer are wished. */
const mostParallel = 1_000;
/** Less than from one look at all rollouts to the next. */
const fullMs = 4_000;
