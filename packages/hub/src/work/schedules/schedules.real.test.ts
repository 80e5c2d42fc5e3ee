// Schedules whose time comes, on one hub and on several.
import { randomUUID } from "node:crypto";
import type { Rollout, RolloutList, Schedule, ScheduleDetail } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  type CommandsHarness,
  freeAccess,
  type HarnessAccess,
  type HarnessHub,
  openCommandsHarness,
} from "../commands/commands-harness.fixture.ts";
import { createGraphRunNews, openRollouts, type Rollouts } from "../graph-runs/index.ts";
import { openSchedules } from "./open.ts";
import type { ScheduleLimits } from "./service.ts";
import { createTickWork } from "./ticks.ts";

const gone = new Set<string>();
/** Signed in too long ago. */
const refused = new Set<string>();
const denied = new Set<string>();
const may: HarnessAccess["may"] = ({ name }, { verb, resource }) =>
  name === "root" || (resource !== "schedules" && !denied.has(`${name} ${verb}`));
const access: HarnessAccess = {
  ...freeAccess,
  may,
  recall: (asker) => (gone.has(asker.name) ? undefined : { ...asker, groups: [] }),
  refuseAbsent: ({ name }) =>
    refused.has(name)
      ? new FairleadError({ code: "ACCESS_GROUPS_OLD", message: "Too old.", httpStatus: 403 })
      : undefined,
  require(principal, request) {
    if (!may(principal, request)) throw new FairleadError({ code: "ACCESS_DENIED", message: "No.", httpStatus: 403 });
  },
};

let harness: CommandsHarness;
let hubs: HarnessHub[];
const services: Rollouts[] = [];
let name: string;
beforeAll(async () => {
  harness = await openCommandsHarness();
  hubs = [await openHub(), await openHub()];
  await first().clusters.create({ name: "east", roles: ["execute"] });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  gone.clear();
  refused.clear();
  denied.clear();
  name = `s${randomUUID().slice(0, 8)}`;
  await sql`delete from schedule`.execute(harness.store.db);
});

function openHub(limits: ScheduleLimits = { ofOne: 3, ofAll: 5 }): Promise<HarnessHub> {
  return harness.openHub({
    access,
    addRoom(ports) {
      const news = createGraphRunNews(ports.bus, "rollouts");
      const opened = new AsyncDisposableStack();
      return {
        onPartChanged: ({ id }) => news.tell(id),
        routes(parts) {
          const rollouts = opened.use(openRollouts({ ...ports, news, parts }));
          services.push(rollouts.rollouts);
          const schedules = opened.use(openSchedules({ ...ports, rollouts: rollouts.rollouts, limits }));
          return [...rollouts.routes, ...schedules.routes];
        },
        [Symbol.asyncDispose]: () => opened.disposeAsync(),
      };
    },
  });
}

const first = (): HarnessHub => hubs[0] as HarnessHub;
const request = { kind: "manifests", spec: { set: "web", manifests: "" }, clusters: ["east"] };
/** Twelve hours from now, so that no tick of its own falls into the hours that a test lets pass. */
const nightly = { cron: `30 ${(new Date().getUTCHours() + 12) % 24} * * *`, timeZone: "UTC", request };
const path = (of = name) => `/api/v1/schedules/${of}`;
const put = (body: object = {}, user = "alice", of = name) =>
  first().ask("PUT", path(of), { ...nightly, ...body }, user);
const get = async (user = "alice") => (await first().ask("GET", path(), undefined, user)).json as ScheduleDetail;
const post = (what: string, user = "alice") => first().ask("POST", `${path()}/${what}`, {}, user);

/** As if the time had come so long ago. */
async function pass(seconds: number): Promise<void> {
  const at = sql<Date>`date_trunc('minute', clock_timestamp()) - ${seconds}::float8 * interval '1 second'`;
  await harness.store.db.updateTable("schedule").set({ next_at: at }).where("name", "=", name).execute();
}
const listRollouts = async () => {
  const { json } = await first().ask("GET", "/api/v1/rollouts?limit=200");
  return (json as RolloutList).items;
};

describe("a tick", () => {
  it("begins a rollout as its owner, once over all hubs", async () => {
    const before = (await listRollouts()).length;
    const { nextTickAt } = (await put({ cron: "* * * * *" })).json as Schedule;
    expect(Date.parse(nextTickAt ?? "") - Date.now()).toBeLessThan(61_000);
    await pass(0);
    await expect.poll(async () => (await get()).ticks).toMatchObject([{ state: "begun" }]);
    const [rollout, ...others] = await listRollouts();
    expect(others.length).toBe(before);
    expect(rollout).toMatchObject({ requester: "alice", clusters: { all: 1 } });
    const { lastTick, nextTickAt: next } = await get();
    expect(lastTick).toMatchObject({ rollout: rollout?.id });
    expect(Date.parse(next ?? "")).toBeGreaterThan(Date.parse(lastTick?.at ?? ""));
  });

  it("is once when several look at once, and begins nothing twice when a hub was killed before it noted what it began", async () => {
    await put();
    const before = (await listRollouts()).length;
    const notAsked = () => Promise.reject(new Error("isn't asked"));
    const rollouts = { create: notAsked, replace: notAsked };
    const workers = Array.from({ length: 4 }, () => createTickWork({ db: harness.store.queries, rollouts, access }));
    await pass(0);
    await Promise.all(workers.map((worker) => worker.note(new AbortController().signal)));
    await expect.poll(async () => (await get()).ticks).toMatchObject([{ state: "begun" }]);
    const { lastTick } = await get();
    await sql`update schedule_tick set state = 'due', rollout = null`.execute(harness.store.db);
    await expect.poll(async () => (await get()).ticks).toEqual([lastTick]);
    expect((await listRollouts()).length).toBe(before + 1);
  });

  it("that was missed is left out, or is made up for once", async () => {
    const states = async () => (await get()).ticks.map(({ state }) => state);
    const miss = async (seconds: number, rule: object) => {
      await put({ ...rule, paused: true });
      await pass(seconds);
      await sql`update schedule set is_paused = false`.execute(harness.store.db);
    };
    await miss(7_200, {});
    await expect.poll(states).toEqual(["skipped"]);
    expect((await get()).lastTick?.trouble?.code).toBe("SCHEDULE_TICK_LATE");
    await miss(3_600, { missed: "one" });
    await expect.poll(states).toEqual(["begun", "skipped"]);
    await miss(1_800, { missed: "one", startingDeadlineSeconds: 600 });
    await expect.poll(states).toEqual(["skipped", "begun", "skipped"]);
    // After many missed ticks the last one is made up for.
    await miss(7_200, { missed: "one", cron: "*/30 * * * *" });
    await expect.poll(states).toEqual(["begun", "skipped", "begun", "skipped"]);
  });

  it("of somebody who is gone or may not ask any more begins nothing, and says so", async () => {
    // Under another id: a hub that is late may still end the tick before.
    const putAnew = async (): Promise<void> => {
      await sql`delete from schedule`.execute(harness.store.db);
      await put();
    };
    await put();
    const before = (await listRollouts()).length;
    gone.add("alice");
    await pass(0);
    await expect
      .poll(async () => (await get()).lastTick)
      .toMatchObject({
        state: "failed",
        trouble: { code: "SCHEDULE_OWNER_GONE" },
      });
    gone.clear();
    refused.add("alice");
    await putAnew();
    await pass(0);
    await expect
      .poll(async () => (await get()).lastTick)
      .toMatchObject({
        state: "failed",
        trouble: { code: "ACCESS_GROUPS_OLD" },
      });
    refused.clear();
    await putAnew();
    denied.add("alice create");
    await pass(0);
    await expect
      .poll(async () => (await get()).lastTick)
      .toMatchObject({
        state: "failed",
        trouble: { code: "ACCESS_DENIED" },
      });
    expect((await listRollouts()).length).toBe(before);
  });

  it("doesn't come while the schedule is paused, and isn't made up for after", async () => {
    await put();
    expect((await post("pause")).json).toMatchObject({ paused: true });
    await pass(10);
    const { json } = await post("resume");
    expect(Date.parse((json as Schedule).nextTickAt ?? "")).toBeGreaterThan(Date.now());
    expect((await get()).ticks).toEqual([]);
  });
});

describe("a tick while what an earlier one began is under way", () => {
  const ticks = async () => (await get()).ticks.map(({ state, trouble }) => [state, trouble?.code]);
  const begun = ["begun", undefined];
  const leftOut = ["skipped", "SCHEDULE_TICK_OVERLAPS"];
  const begin = async (rule: object) => {
    await put({ startingDeadlineSeconds: 600, ...rule });
    await pass(90);
    await expect.poll(ticks).toEqual([begun]);
    return (await get()).lastTick?.rollout ?? "";
  };
  const seeRollout = async (id: string) => (await first().ask("GET", `/api/v1/rollouts/${id}`)).json as Rollout;
  const cancelAll = async () => {
    for (const { id } of await listRollouts()) await first().ask("POST", `/api/v1/rollouts/${id}/cancel`, {});
    await expect
      .poll(async () => (await listRollouts()).every(({ finishedAt }) => finishedAt !== undefined))
      .toBe(true);
  };
  beforeEach(cancelAll);

  it("begins one more, unless told", async () => {
    const earlier = await begin({});
    expect(await get()).toMatchObject({ concurrencyPolicy: "Allow" });
    await pass(60);
    await expect.poll(ticks).toEqual([begun, begun]);
    expect((await seeRollout(earlier)).finishedAt).toBeUndefined();
  });

  it("begins nothing with Forbid, also when the earlier tick isn't kept any more, until that has ended", async () => {
    const earlier = await begin({ concurrencyPolicy: "Forbid" });
    await pass(60);
    await expect.poll(ticks).toEqual([leftOut, begun]);
    expect((await get()).lastTick?.trouble?.message).toContain(earlier);
    await sql`delete from schedule_tick`.execute(harness.store.db);
    await pass(30);
    await expect.poll(ticks).toEqual([leftOut]);
    await cancelAll();
    await pass(0);
    await expect.poll(ticks).toEqual([begun, leftOut]);
  });

  it("is decided once, in the order of ticks, however many hubs decide", async () => {
    await put({ concurrencyPolicy: "Forbid", startingDeadlineSeconds: 600, paused: true });
    const { id } = await harness.store.db.selectFrom("schedule").select("id").executeTakeFirstOrThrow();
    const before = (await listRollouts()).length;
    await sql`
      insert into schedule_tick (schedule, at, state)
      select ${id}, date_trunc('minute', now()) - number * interval '1 minute', 'due' from generate_series(1, 3) as number
    `.execute(harness.store.db);
    const workers = services.map((rollouts) => createTickWork({ db: harness.store.queries, rollouts, access }));
    const all = [...workers, ...workers].map((worker) => worker.begin(new AbortController().signal));
    await Promise.all(all);
    await expect.poll(ticks).toEqual([leftOut, leftOut, begun]);
    expect((await listRollouts()).length).toBe(before + 1);
    // A hub that was killed between the decision and its note.
    await sql`update schedule_tick set state = 'due', rollout = null where state = 'begun'`.execute(harness.store.db);
    await expect.poll(ticks).toEqual([leftOut, leftOut, begun]);
    expect((await listRollouts()).length).toBe(before + 1);
  });

  it("cancels that with Replace, gracefully however often, and begins", async () => {
    const earlier = await begin({ concurrencyPolicy: "Replace" });
    const claim = () =>
      first()
        .agent("east")
        .claim({ agentInstanceId: "i", most: 16, kinds: ["manifests"] });
    await expect.poll(async () => (await claim()).commands.length).toBe(1);
    for (const [seconds, count] of [
      [60, 2],
      [30, 3],
    ] as const) {
      await pass(seconds);
      await expect.poll(ticks).toEqual(Array.from({ length: count }, () => begun));
    }
    // An agent has it, and decides what comes of it.
    expect(await seeRollout(earlier)).toMatchObject({ state: "stopping", cancellation: "graceful" });
    const listOpen = async () => (await listRollouts()).flatMap((one) => (one.finishedAt === undefined ? one.id : []));
    await expect.poll(listOpen).toEqual([(await get()).lastTick?.rollout, earlier]);
    denied.add("alice update");
    await pass(0);
    await expect.poll(ticks).toEqual([["failed", "ACCESS_DENIED"], begun, begun, begun]);
    denied.clear();
    await sql`update command set state = 'cancelled', finished_at = now() where finished_at is null`.execute(
      harness.store.db,
    );
  });
});

describe("a schedule", () => {
  it("is seen and changed by its owner, by who may do so with all, and by nobody else", async () => {
    await put();
    expect((await get()).request).toEqual(request);
    expect((await first().ask("GET", "/api/v1/schedules")).json).toMatchObject({ items: [{ name, owner: "alice" }] });
    expect((await first().ask("GET", "/api/v1/schedules", undefined, "bob")).json).toEqual({ items: [] });
    expect((await first().ask("GET", path(), undefined, "bob")).status).toBe(404);
    expect((await post("pause", "bob")).status).toBe(404);
    expect(await put({}, "bob")).toMatchObject({ status: 409, json: { code: "SCHEDULE_NAME_TAKEN" } });
    const seen = await get("root");
    expect([seen.owner, seen.request]).toEqual(["alice", undefined]);
    expect((await post("pause", "root")).status).toBe(200);
    expect((await first().ask("DELETE" as "POST", path(), undefined, "root")).status).toBe(204);
    expect((await first().ask("GET", path())).status).toBe(404);
  });

  it("isn't made by who may not ask for what it asks", async () => {
    denied.add("alice create");
    expect(await put()).toMatchObject({ status: 403, json: { code: "ACCESS_DENIED" } });
  });

  it.each([
    ["a sixth field", { cron: "0 30 2 * * *" }, "SCHEDULE_CRON_INVALID"],
    ["a zone that isn't one", { timeZone: "Europe/Nowhere" }, "SCHEDULE_TIME_ZONE_UNKNOWN"],
    ["no clusters", { request: { ...request, clusters: undefined } }, "SCHEDULE_REQUEST_INVALID"],
    ["a key", { request: { ...request, idempotencyKey: "a" } }, "SCHEDULE_REQUEST_INVALID"],
  ])("with %s is refused", async (_what, wrong: object, code) => {
    expect(await put(wrong)).toMatchObject({ status: 400, json: { code } });
    expect(await put({}, "alice", "A_b")).toMatchObject({ json: { code: "SCHEDULE_REQUEST_INVALID" } });
  });

  it("is one of so many that a person has, and all together, and of a bounded size", async () => {
    for (const of of ["a", "b", "c"]) expect((await put({}, "greedy", of)).status).toBe(200);
    expect(await put({}, "greedy", "d")).toMatchObject({ status: 429, json: { code: "SCHEDULE_TOO_MANY" } });
    expect((await put({ paused: true }, "greedy", "c")).status).toBe(200);
    for (const of of ["e", "f"]) expect((await put({}, "modest", of)).status).toBe(200);
    expect(await put({}, "late", "g")).toMatchObject({ status: 429, json: { code: "SCHEDULE_TOO_MANY" } });
    const large = { request: { ...request, spec: { set: "web", manifests: "#".repeat(300_000) } } };
    expect(await put(large, "greedy", "a")).toMatchObject({ status: 413, json: { code: "SCHEDULE_TOO_LARGE" } });
  });

  it("keeps its last fifty ticks", async () => {
    await put({ paused: true });
    const { id } = await harness.store.db.selectFrom("schedule").select("id").executeTakeFirstOrThrow();
    await sql`
      insert into schedule_tick (schedule, at, state)
      select ${id}, now() - number * interval '1 hour', 'begun' from generate_series(1, 80) as number
    `.execute(harness.store.db);
    await pass(0);
    await sql`update schedule set is_paused = false`.execute(harness.store.db);
    const count = async () => (await sql`select from schedule_tick`.execute(harness.store.db)).rows.length;
    await expect.poll(count).toBe(50);
  });
});
