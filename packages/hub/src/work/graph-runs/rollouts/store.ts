// Lets something happen to a rollout: its row is locked, the commands that have ended are counted, and the state decides what
// comes of it.
import type { FairleadError } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "../../../platform/store/index.ts";
import { endIfIdle } from "../../runs/index.ts";
import { rolloutErrors } from "./errors.ts";
import { nextRolloutState, type RolloutEvent, type RolloutState } from "./rollout-state.ts";
import { type RolloutRow, rolloutColumns, toColumns, toRolloutState } from "./rows.ts";
import { takeCommands } from "./take-commands.ts";

export interface RolloutStore {
  find(id: string): Promise<RolloutRow | undefined>;
  /** Those for which there may be something to do. */
  listDue(): Promise<readonly string[]>;
  /** Undefined when there is no such rollout. */
  settle(settling: Settling): Promise<Settled | undefined>;
  /** A cluster that can't be asked. */
  failPart(id: string, place: number, error: FairleadError): Promise<void>;
}

export interface Settling {
  readonly id: string;
  /** Beside what follows from its clusters and from time. */
  readonly event?: Exclude<RolloutEvent, { readonly type: "looked" }> | undefined;
  readonly actor?: string | undefined;
}

export interface Settled {
  readonly row: RolloutRow;
  readonly before: RolloutState;
  readonly after: RolloutState;
}

export function createRolloutStore(db: Kysely<Tables>): RolloutStore {
  return {
    find: (id) => db.selectFrom("rollout").select(rolloutColumns).where("id", "=", id).executeTakeFirst(),
    async listDue() {
      const { rows } = await sql<{ id: string }>`
        select id from rollout
        where finished_at is null and (state <> 'paused' or running > 0 or resume_at <= clock_timestamp()) order by number
      `.execute(db);
      return rows.map(({ id }) => id);
    },
    settle: (settling) => db.transaction().execute((trx) => settle(trx, settling)),
    failPart: (id, place, error) => db.transaction().execute((trx) => failPart(trx, { id, place, error })),
  };
}

/** Until the end of the transaction nobody else changes it or one of its clusters. */
export async function lockRollout(trx: Transaction<Tables>, id: string): Promise<LockedRollout | undefined> {
  return await trx
    .selectFrom("rollout")
    .select(rolloutColumns)
    .select(sql<boolean>`coalesce(resume_at <= clock_timestamp(), false)`.as("is_pause_over"))
    .select(endIfIdle.as("idle"))
    .where("id", "=", id)
    .forUpdate()
    .executeTakeFirst();
}

type LockedRollout = RolloutRow & { readonly is_pause_over: boolean };

async function settle(trx: Transaction<Tables>, { id, event, actor }: Settling): Promise<Settled | undefined> {
  const row = await lockRollout(trx, id);
  if (!row) return undefined;
  const before = toRolloutState(row);
  if (before.is === "ended") return { row, before, after: before };
  const { succeeded, failed, moved, awaiting } = await takeCommands(trx, row);
  const running = row.running - succeeded - failed;
  const tally = {
    waiting: row.waiting,
    isWaitingNow: await isWaitingNow(trx, row),
    running,
    failed: row.failed + failed,
  };
  const rules = { stopAfter: row.stop_after ?? undefined, pausesBetween: row.pause_seconds !== null };
  const events: RolloutEvent[] = [
    ...(event ? [event] : []),
    ...(row.is_pause_over ? [{ type: "pause-over" } as const] : []),
    { type: "looked", tally, rules },
  ];
  const after = events.reduce(nextRolloutState, before);
  if (after === before && succeeded + failed + moved === 0 && event?.type !== "cancel-asked")
    return { row, before, after };
  const isOver = after.is === "ended";
  if (isOver) await skipWaiting(trx, row);
  const isNewPause = after.is === "paused" && after !== before;
  const written = await trx
    .updateTable("rollout")
    .set({
      ...toColumns(after),
      version: row.version + 1,
      running,
      succeeded: row.succeeded + succeeded,
      failed: row.failed + failed,
      awaiting,
      ...(isOver ? { waiting: 0, skipped: row.skipped + row.waiting, finished_at: sql<Date>`clock_timestamp()` } : {}),
      ...(event ? { by_whom: actor ?? null } : {}),
      ...(isNewPause || after.is !== "paused" ? { resume_at: isNewPause ? pauseEnd(after, row) : null } : {}),
      ...(event?.type === "cancel-asked" ? { cancellation: row.cancellation === null ? "graceful" : "forced" } : {}),
      ...(event?.type === "replaced" ? { cancellation: row.cancellation ?? "graceful" } : {}),
      ...toTrouble({ row, before, after, event, failed: tally.failed }),
    })
    .where("id", "=", id)
    .returning(rolloutColumns)
    .executeTakeFirstOrThrow();
  return { row: written, before, after };
}

/** Clusters of earlier waves come first. */
async function isWaitingNow(trx: Transaction<Tables>, { id, wave }: RolloutRow): Promise<boolean> {
  const first = await trx
    .selectFrom("rollout_cluster")
    .select("wave")
    .where("rollout", "=", id)
    .where("state", "=", "waiting")
    .orderBy("place")
    .limit(1)
    .executeTakeFirst();
  return first !== undefined && first.wave <= wave;
}

async function skipWaiting(trx: Transaction<Tables>, { id, version }: RolloutRow): Promise<void> {
  await trx
    .updateTable("rollout_cluster")
    .set({ state: "skipped", version: version + 1 })
    .where("rollout", "=", id)
    .where("state", "=", "waiting")
    .execute();
}

function pauseEnd(after: RolloutState, { pause_seconds: seconds }: RolloutRow) {
  if (after.is !== "paused" || after.why === "asked" || !seconds) return null;
  return sql<Date>`clock_timestamp() + ${seconds}::float8 * interval '1 second'`;
}

function toTrouble(settling: {
  readonly row: RolloutRow;
  readonly before: RolloutState;
  readonly after: RolloutState;
  readonly event: Settling["event"];
  readonly failed: number;
}): Partial<Pick<RolloutRow, "code" | "message" | "hint">> {
  const { row, before, after, event, failed } = settling;
  if (before.is === "stopping" || toOutcome(after) !== "stopped") return {};
  const error =
    event?.type === "requester-gone"
      ? (event.refusal ?? rolloutErrors.ROLLOUT_REQUESTER_GONE({ requester: row.requester }))
      : rolloutErrors.ROLLOUT_STOPPED({ failed });
  return { code: error.code, message: error.message, hint: error.hint ?? null };
}

function toOutcome(state: RolloutState): string | undefined {
  if (state.is === "stopping") return state.towards;
  return state.is === "ended" ? state.outcome : undefined;
}

async function failPart(
  trx: Transaction<Tables>,
  { id, place, error }: { readonly id: string; readonly place: number; readonly error: FairleadError },
): Promise<void> {
  const row = await lockRollout(trx, id);
  if (!row) return;
  const { numUpdatedRows: count } = await trx
    .updateTable("rollout_cluster")
    .set({ state: "failed", version: row.version + 1 })
    .set({ code: error.code, message: error.message, hint: error.hint ?? null })
    .where("rollout", "=", id)
    .where("place", "=", place)
    .where("state", "=", "waiting")
    .executeTakeFirst();
  if (count === 0n) return;
  await trx
    .updateTable("rollout")
    .set({ version: row.version + 1, waiting: row.waiting - 1, failed: row.failed + 1 })
    .where("id", "=", id)
    .execute();
}
