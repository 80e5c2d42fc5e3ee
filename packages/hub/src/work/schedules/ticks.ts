// Lets ticks happen. A tick is a row, written with the schedule's next time in one transaction, so it is once over all hubs;
// and its rollout is made under a key of the tick's, so a hub that is killed in between makes none twice.
import type { CreateRolloutRequest } from "@fairlead/contract";
import { type FairleadError, toFairleadError } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { AbsentAsker, Access } from "../../people/access/index.ts";
import { isStoreFailure, type Tables } from "../../platform/store/index.ts";
import type { Rollouts } from "../graph-runs/index.ts";
import { endIfIdle } from "../runs/index.ts";
import { parseCron } from "./cron.ts";
import { scheduleErrors } from "./errors.ts";
import { createOverlap, tickKeyOf } from "./overlap.ts";
import { type ScheduleRow, scheduleColumns } from "./rows.ts";
import { keptTicks } from "./service.ts";

export interface TickWork {
  /** Writes down the ticks whose time has come: of those that one schedule has passed, the last. */
  note(signal: AbortSignal): Promise<void>;
  /** Begins what is written down. */
  begin(signal: AbortSignal): Promise<void>;
}

export function createTickWork(ports: {
  readonly db: Kysely<Tables>;
  readonly rollouts: Pick<Rollouts, "create" | "replace">;
  readonly access: Pick<Access, "recall" | "refuseAbsent">;
}): TickWork {
  const { db, rollouts, access } = ports;
  const overlap = createOverlap({ db, rollouts });
  return {
    async note(signal) {
      while (!signal.aborted && (await db.transaction().execute(noteOne)));
    },

    async begin(signal) {
      // All of them, or sixteen that have to be tried again would hold everybody else's up.
      let last: DueTick | undefined;
      do {
        const due: readonly DueTick[] = await listDue(last);
        last = due.at(stepSize - 1);
        for (const tick of due) {
          if (signal.aborted) return;
          const begun = await beginTick(tick);
          if (begun) await end(tick, begun);
        }
      } while (last);
    },
  };

  async function listDue(after: DueTick | undefined): Promise<readonly DueTick[]> {
    const due = db
      .selectFrom("schedule_tick")
      .innerJoin("schedule", "schedule.id", "schedule_tick.schedule")
      .select(["schedule.id", "schedule.owner", "schedule.asker", "schedule.request", "schedule_tick.at"])
      .select(["schedule.owner_uid", "schedule.concurrency_policy"])
      .select(sql<number>`extract(epoch from clock_timestamp() - at)`.as("late_seconds"))
      .where("state", "=", "due")
      .orderBy("at")
      .orderBy("schedule.id")
      .limit(stepSize);
    if (!after) return await due.execute();
    return await due.where(sql<boolean>`(at, schedule.id) > (${after.at}, ${after.id})`).execute();
  }

  /** Undefined: to be tried again, or decided otherwise. */
  async function beginTick(tick: DueTick): Promise<{ rollout: string } | FairleadError | undefined> {
    const asker = JSON.parse(tick.asker) as AbsentAsker;
    const refusal = access.refuseAbsent(asker);
    if (refusal) return refusal;
    const principal = access.recall(asker);
    if (!principal) return scheduleErrors.SCHEDULE_OWNER_GONE({ owner: tick.owner });
    try {
      if ((await overlap.admit(principal, tick)) !== "begins") return undefined;
      const request = JSON.parse(tick.request) as CreateRolloutRequest;
      const { rollout } = await rollouts.create(principal, { ...request, idempotencyKey: tickKeyOf(tick) });
      return { rollout: rollout.id };
    } catch (thrown) {
      if (isStoreFailure(thrown)) throw thrown;
      const error = toFairleadError(thrown);
      return error.retryable && tick.late_seconds < onTimeSeconds ? undefined : error;
    }
  }

  async function end({ id, at }: DueTick, begun: { rollout: string } | FairleadError): Promise<void> {
    const isWell = "rollout" in begun;
    await db
      .updateTable("schedule_tick")
      .set(
        isWell
          ? { state: "begun", rollout: begun.rollout }
          : { state: "failed", code: begun.code, message: begun.message, hint: begun.hint ?? null },
      )
      .where("schedule", "=", id)
      .where("at", "=", at)
      .where("state", "=", "due")
      .execute();
  }
}

interface DueTick {
  readonly id: string;
  readonly owner: string;
  readonly owner_uid: string;
  readonly concurrency_policy: ScheduleRow["concurrency_policy"];
  readonly asker: string;
  readonly request: string;
  readonly at: Date;
  readonly late_seconds: number;
}

/** False when no schedule is due. */
async function noteOne(trx: Transaction<Tables>): Promise<boolean> {
  const row = await trx
    .selectFrom("schedule")
    .select(scheduleColumns)
    .select([sql<Date>`clock_timestamp()`.as("now"), endIfIdle.as("idle")])
    .where("is_paused", "=", false)
    .where("next_at", "<=", sql<Date>`clock_timestamp()`)
    .orderBy("next_at")
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  if (!row?.next_at) return false;
  const ticks = parseCron(row.cron, row.time_zone);
  const at = ticks.lastBetween(row.next_at, row.now) ?? row.next_at;
  const late = isTooLate(row, at, row.now) ? scheduleErrors.SCHEDULE_TICK_LATE() : undefined;
  await trx
    .insertInto("schedule_tick")
    .values({
      schedule: row.id,
      at,
      state: late ? "skipped" : "due",
      rollout: null,
      code: late?.code ?? null,
      message: late?.message ?? null,
      hint: late?.hint ?? null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx
    .updateTable("schedule")
    .set({ next_at: ticks.after(row.now) ?? null })
    .where("id", "=", row.id)
    .execute();
  await sql`
    delete from schedule_tick where schedule = ${row.id} and state <> 'due' and at < (
      select at from schedule_tick where schedule = ${row.id} order by at desc offset ${keptTicks - 1} limit 1
    )
  `.execute(trx);
  return true;
}

function isTooLate({ missed, deadline_seconds: deadline }: ScheduleRow, at: Date, now: Date): boolean {
  const most = deadline ?? (missed === "one" ? Number.POSITIVE_INFINITY : onTimeSeconds);
  return (now.getTime() - at.getTime()) / 1_000 > most;
}

/** Hubs take turns in less than that. */
const onTimeSeconds = 60;
const stepSize = 16;
