// Serves what people ask about schedules. A schedule asks as its owner, so whoever may ask for a rollout may have one of it;
// others see and stop it with a right on `schedules` of the whole hub.
import type { PutScheduleRequest, Schedule, ScheduleDetail, ScheduleList } from "@fairlead/contract";
import { createId } from "@fairlead/kernel";
import { type Kysely, sql, type Transaction } from "kysely";
import type { Access, Principal } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Rollouts } from "../graph-runs/index.ts";
import { parseCron } from "./cron.ts";
import { scheduleErrors } from "./errors.ts";
import { type ScheduleRow, scheduleColumns, type TickRow, toSchedule, toTick } from "./rows.ts";

export interface Schedules {
  put(principal: Principal, name: string, request: PutScheduleRequest): Promise<Schedule>;
  list(principal: Principal): Promise<ScheduleList>;
  get(principal: Principal, name: string): Promise<ScheduleDetail>;
  setPaused(principal: Principal, name: string, isPaused: boolean): Promise<Schedule>;
  remove(principal: Principal, name: string): Promise<void>;
}

export interface ScheduleLimits {
  readonly ofOne: number;
  readonly ofAll: number;
}

export function createSchedules(options: {
  readonly db: Kysely<Tables>;
  readonly access: Pick<Access, "may" | "require">;
  readonly rollouts: Pick<Rollouts, "preview">;
  readonly limits?: ScheduleLimits | undefined;
}): Schedules {
  const { db, access, rollouts, limits = scheduleShares } = options;
  return {
    async put(principal, name, request) {
      const ticks = parseCron(request.cron, request.timeZone);
      const sizeBytes = Buffer.byteLength(JSON.stringify(request.request));
      if (sizeBytes > limitBytes) throw scheduleErrors.SCHEDULE_TOO_LARGE({ sizeBytes, limitBytes });
      await requireAskable(principal, request);
      const row = await db.transaction().execute(async (trx) => {
        await holdSchedules(trx);
        const before = await read(trx, name);
        if (before && !isOwn(principal, before)) throw scheduleErrors.SCHEDULE_NAME_TAKEN();
        if (!before) await requireRoom(trx, principal);
        const now = await readClock(trx);
        const { kind, name: owner, uid, tokenId, scope } = principal;
        const wanted = {
          cron: request.cron,
          time_zone: request.timeZone,
          kind: request.request.kind,
          request: JSON.stringify(request.request),
          missed: request.missed ?? ("skip" as const),
          deadline_seconds: request.startingDeadlineSeconds ?? null,
          concurrency_policy: request.concurrencyPolicy ?? ("Allow" as const),
          is_paused: request.paused ?? false,
          owner,
          owner_uid: uid,
          next_at: ticks.after(now) ?? null,
          asker: JSON.stringify({ kind, name: owner, uid, tokenId, scope }),
        };
        return await trx
          .insertInto("schedule")
          .values({ name, id: createId("sch"), ...wanted })
          .onConflict((conflict) => conflict.column("name").doUpdateSet(wanted))
          .returning(scheduleColumns)
          .executeTakeFirstOrThrow();
      });
      return toSchedule(row, await readLast(row));
    },

    async list(principal) {
      let rows = db.selectFrom("schedule").select(scheduleColumns).orderBy("name");
      if (!mayOthers(principal, "list"))
        rows = rows.where("owner_uid", "=", principal.uid).where("owner", "=", principal.name);
      const found = await rows.execute();
      const lasts = new Map((await readLasts(found)).map((tick) => [tick.schedule, tick]));
      return { items: found.map((row) => toSchedule(row, lasts.get(row.id))) };
    },

    async get(principal, name) {
      const row = await find(principal, name, "get");
      const ticks = await db
        .selectFrom("schedule_tick")
        .selectAll()
        .where("schedule", "=", row.id)
        .orderBy("at", "desc")
        .limit(keptTicks)
        .execute();
      return {
        ...toSchedule(row, ticks[0]),
        ...(isOwn(principal, row) ? { request: await readRequest(row) } : {}),
        ticks: ticks.map(toTick),
      };
    },

    async setPaused(principal, name, isPaused) {
      const { id, cron, time_zone: timeZone } = await find(principal, name, "update");
      // Ticks of the pause aren't made up for.
      const next = parseCron(cron, timeZone).after(await readClock(db));
      const row = await db
        .updateTable("schedule")
        .set({ is_paused: isPaused, next_at: next ?? null })
        .where("id", "=", id)
        .returning(scheduleColumns)
        .executeTakeFirst();
      if (!row) throw scheduleErrors.SCHEDULE_NOT_FOUND();
      return toSchedule(row, await readLast(row));
    },

    async remove(principal, name) {
      const { id } = await find(principal, name, "delete");
      await db.deleteFrom("schedule").where("id", "=", id).execute();
    },
  };

  /** Throws ACCESS_DENIED when none of the clusters that are meant now can be asked, one of them for lack of the right. */
  async function requireAskable(principal: Principal, { request }: PutScheduleRequest): Promise<void> {
    const { items, unusable } = await rollouts.preview(principal, request);
    if (items.length > 0) return;
    const right =
      request.kind === "template"
        ? { verb: "use", resource: `templates/${request.spec.name}` }
        : { verb: "create", resource: `commands/${request.kind}` };
    for (const { cluster } of unusable) access.require(principal, { ...right, cluster });
  }

  async function find(principal: Principal, name: string, verb: "get" | "update" | "delete"): Promise<ScheduleRow> {
    const row = await read(db, name);
    if (!row) throw scheduleErrors.SCHEDULE_NOT_FOUND();
    if (isOwn(principal, row) || mayOthers(principal, verb)) return row;
    if (mayOthers(principal, "get")) access.require(principal, { verb, resource });
    throw scheduleErrors.SCHEDULE_NOT_FOUND();
  }

  function mayOthers(principal: Principal, verb: string): boolean {
    return access.may(principal, { verb, resource });
  }

  async function readLast(row: ScheduleRow): Promise<TickRow | undefined> {
    return (await readLasts([row]))[0];
  }

  async function readLasts(rows: readonly ScheduleRow[]): Promise<TickRow[]> {
    if (rows.length === 0) return [];
    return await db
      .selectFrom("schedule_tick")
      .selectAll()
      .distinctOn("schedule")
      .where(
        "schedule",
        "in",
        rows.map(({ id }) => id),
      )
      .orderBy("schedule")
      .orderBy("at", "desc")
      .execute();
  }

  async function readRequest({ id }: ScheduleRow): Promise<unknown> {
    const row = await db.selectFrom("schedule").select("request").where("id", "=", id).executeTakeFirst();
    return row && (JSON.parse(row.request) as unknown);
  }

  async function requireRoom(trx: Transaction<Tables>, { uid, name }: Principal): Promise<void> {
    const { rows } = await sql<{ count: number; own: number }>`
      select count(*) as count, count(*) filter (where owner_uid = ${uid} and owner = ${name}) as own from schedule
    `.execute(trx);
    const { count = 0, own = 0 } = rows[0] ?? {};
    if (own >= limits.ofOne) throw scheduleErrors.SCHEDULE_TOO_MANY({ who: name, limit: limits.ofOne });
    if (count >= limits.ofAll)
      throw scheduleErrors.SCHEDULE_TOO_MANY({ who: "all users together", limit: limits.ofAll });
  }
}

/** In turn, or two at once would count the same ones. */
async function holdSchedules(trx: Transaction<Tables>): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('fairlead schedules'))`.execute(trx);
}

async function read(db: Kysely<Tables>, name: string): Promise<ScheduleRow | undefined> {
  return await db.selectFrom("schedule").select(scheduleColumns).where("name", "=", name).executeTakeFirst();
}

async function readClock(db: Kysely<Tables>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

function isOwn({ uid, name }: Principal, row: ScheduleRow): boolean {
  return row.owner_uid === uid && row.owner === name;
}

const resource = "schedules";
const scheduleShares: ScheduleLimits = { ofOne: 50, ofAll: 1_000 };
const limitBytes = 256 * 1024;
export const keptTicks = 50;
