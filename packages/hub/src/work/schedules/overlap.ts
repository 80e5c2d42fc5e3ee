// Decides about a tick while rollouts of earlier ticks are under way: `concurrencyPolicy`, as CronJobs of Kubernetes
// have it.
import type { Kysely } from "kysely";
import type { Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Rollouts } from "../graph-runs/index.ts";
import { endIfIdle } from "../runs/index.ts";
import { scheduleErrors } from "./errors.ts";
import type { ScheduleRow, TickRow } from "./rows.ts";

export type ScheduledTick = Pick<TickRow, "at"> & Pick<ScheduleRow, "id" | "owner_uid" | "concurrency_policy">;

/** `waits`: an earlier tick has its turn first. */
export type TickVerdict = "begins" | "waits" | "is over";

export interface Overlap {
  /** Decides once for each tick, whichever hubs ask: what was decided stays. */
  admit(principal: Principal, tick: ScheduledTick): Promise<TickVerdict>;
}

export function createOverlap(ports: {
  readonly db: Kysely<Tables>;
  readonly rollouts: Pick<Rollouts, "replace">;
}): Overlap {
  const { db, rollouts } = ports;
  return {
    async admit(principal, tick) {
      if (tick.concurrency_policy === "Allow") return "begins";
      if (tick.concurrency_policy === "Forbid") return await db.transaction().execute((trx) => admitAlone(trx, tick));
      if (await hasEarlier(db, tick)) return "waits";
      for (const id of await listUnderWay(db, tick)) await rollouts.replace(principal, id);
      return "begins";
    },
  };
}

/** The tick's row is held: of two hubs at once, the second finds what the first decided. */
async function admitAlone(db: Kysely<Tables>, tick: ScheduledTick): Promise<TickVerdict> {
  const row = await db
    .selectFrom("schedule_tick")
    .select(["state", "is_admitted", endIfIdle.as("idle")])
    .where("schedule", "=", tick.id)
    .where("at", "=", tick.at)
    .forUpdate()
    .executeTakeFirst();
  if (row?.state !== "due") return "is over";
  if (row.is_admitted) return "begins";
  if (await hasEarlier(db, tick)) return "waits";
  const [rollout] = await listUnderWay(db, tick);
  const write = db.updateTable("schedule_tick").where("schedule", "=", tick.id).where("at", "=", tick.at);
  if (rollout === undefined) {
    await write.set({ is_admitted: true }).execute();
    return "begins";
  }
  const { code, message, hint } = scheduleErrors.SCHEDULE_TICK_OVERLAPS({ rollout });
  await write.set({ state: "skipped", code, message, hint: hint ?? null }).execute();
  return "is over";
}

/** Its rollout may be made at any time. */
async function hasEarlier(db: Kysely<Tables>, { id, at }: ScheduledTick): Promise<boolean> {
  const earlier = await db
    .selectFrom("schedule_tick")
    .select("at")
    .where("schedule", "=", id)
    .where("state", "=", "due")
    .where("at", "<", at)
    .executeTakeFirst();
  return earlier !== undefined;
}

/** Finds rollouts of earlier ticks by their keys, so that those count, too, whose ticks aren't kept any more. */
async function listUnderWay(db: Kysely<Tables>, tick: ScheduledTick): Promise<string[]> {
  const rows = await db
    .selectFrom("rollout")
    .select("id")
    .where("requester_uid", "=", tick.owner_uid)
    .where("idempotency_key", ">=", keyPrefix(tick))
    .where("idempotency_key", "<", tickKeyOf(tick))
    .where("finished_at", "is", null)
    .orderBy("number")
    .execute();
  return rows.map(({ id }) => id);
}

/** The idempotency key of the tick's rollout. It has a space, so nobody can have sent it. */
export function tickKeyOf(tick: Pick<ScheduledTick, "id" | "at">): string {
  return `${keyPrefix(tick)}${tick.at.toISOString()}`;
}

function keyPrefix({ id }: Pick<ScheduledTick, "id">): string {
  return `tick ${id} `;
}
