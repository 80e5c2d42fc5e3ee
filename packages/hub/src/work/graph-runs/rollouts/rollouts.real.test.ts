// Rollouts over clusters whose agents are played here.
import { randomUUID } from "node:crypto";
import type { RolloutPreview } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freeAccess, type HarnessAccess } from "../../commands/commands-harness.fixture.ts";
import { forgetRollouts } from "./retention.ts";
import { openRolloutsHarness, type RolloutHub, type RolloutsHarness } from "./rollouts-harness.fixture.ts";

/** Denied rights, as `user verb cluster`; and names of people who are gone. */
const denied = new Set<string>();
const gone = new Set<string>();
/** Signed in too long ago. */
const refused = new Set<string>();
const mayNot = (name: string, { verb, cluster = "*" }: { verb: string; cluster?: string | undefined }): boolean =>
  denied.has(`${name} ${verb} ${cluster}`) || (cluster === "*" && [...denied].some((one) => one.startsWith(name)));
const access: HarnessAccess = {
  ...freeAccess,
  recall: (asker) => (gone.has(asker.name) ? undefined : { ...asker, groups: [] }),
  refuseAbsent: ({ name }) =>
    refused.has(name)
      ? new FairleadError({ code: "ACCESS_GROUPS_OLD", message: "Too old.", httpStatus: 403 })
      : undefined,
  may: ({ name }, request) => !mayNot(name, request),
  require({ name }, request) {
    if (mayNot(name, request))
      throw new FairleadError({ code: "ACCESS_DENIED", message: "Not allowed.", httpStatus: 403 });
  },
};

let harness: RolloutsHarness;
let hub: RolloutHub;
let names: string[];
let fleet: string;
beforeAll(async () => {
  harness = await openRolloutsHarness();
  hub = await harness.openHub({
    access,
    rolloutLimits: { ofOne: 20, ofAll: 60, specBytes: 1_000_000_000 },
    limits: { queue: { commands: 8, bytes: 99_999 } },
  });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  denied.clear();
  gone.clear();
  await sql`update rollout set finished_at = now(), state = 'cancelled' where finished_at is null`.execute(
    harness.store.db,
  );
  const prefix = `c${randomUUID().slice(0, 6)}`;
  names = ["a", "b", "c", "d"].map((name) => `${prefix}-${name}`);
  fleet = await hub.makeFleet(names);
});
const meant = () => ({ selector: `fleet=${fleet}` });
const post = (id: string, what: string, body = {}, user?: string) =>
  hub.ask("POST", `/api/v1/rollouts/${id}/${what}`, body, user);
const at = (...indexes: number[]) => indexes.map((index) => names[index] ?? "");

describe("a rollout", () => {
  it("asks all clusters that are meant for the same, and has succeeded when they all have", async () => {
    const { id, clusters } = await hub.start({ ...meant(), priority: 7, deadlineSeconds: 600 });
    expect(clusters).toMatchObject({ all: 4, waiting: 4 });
    await hub.untilRunning(id, names);
    const [part] = await hub.parts(id);
    const command = await hub.get(part?.command ?? "");
    expect(command).toMatchObject({ rollout: id, priority: 7, requester: "alice", target: "manifests/default/web" });
    for (const name of names) await hub.end(name);
    const ended = await hub.untilState(id, "succeeded");
    expect(ended.clusters).toEqual({ all: 4, waiting: 0, running: 0, succeeded: 4, failed: 0, skipped: 0 });
    expect(ended.finishedAt).toBeDefined();
    expect((await hub.ask("GET", `/api/v1/rollouts?state=succeeded`)).json).toMatchObject({ items: [{ id }] });
  });

  it("goes wave by wave, so many at a time, and pauses between when that is wished", async () => {
    const waves = [{ clusters: at(2) }, { size: "50%" }];
    const { id } = await hub.start({ ...meant(), waves, maxParallel: 1, pauseBetweenWaves: true });
    await hub.untilRunning(id, at(2));
    await hub.end(names[2] ?? "");
    expect(await hub.untilState(id, "paused")).toMatchObject({ wave: 2, waves: 3, pause: { why: "between-waves" } });
    expect((await post(id, "resume")).json).toMatchObject({ state: "running" });
    await hub.untilRunning(id, at(0));
    await hub.end(names[0] ?? "");
    await hub.untilRunning(id, at(1));
    await hub.end(names[1] ?? "");
    expect(await hub.untilState(id, "paused")).toMatchObject({ wave: 3 });
    await post(id, "resume");
    await hub.untilRunning(id, at(3));
    await hub.end(names[3] ?? "");
    expect(await hub.untilState(id, "succeeded")).toMatchObject({ wave: 3 });
  });

  it("goes on by itself after a pause of so many seconds", async () => {
    const { id } = await hub.start({ ...meant(), waves: [{ size: 1 }], pauseBetweenWaves: 1 });
    await hub.untilRunning(id, at(0));
    await hub.end(names[0] ?? "");
    await hub.untilRunning(id, at(1, 2, 3));
  });

  it("stops at the first failure of a wave, and the failed and the others are asked again", async () => {
    const { id } = await hub.start({ ...meant(), waves: [{ size: 2 }] });
    await hub.untilRunning(id, at(0, 1));
    await hub.end(names[0] ?? "", "failed");
    expect(await hub.untilState(id, "stopping")).toMatchObject({ trouble: { code: "ROLLOUT_STOPPED" } });
    expect(await post(id, "retry")).toMatchObject({ status: 409, json: { code: "ROLLOUT_NOT_RETRYABLE" } });
    await hub.end(names[1] ?? "");
    const ended = await hub.untilState(id, "stopped");
    expect(ended.clusters).toMatchObject({ succeeded: 1, failed: 1, skipped: 2, waiting: 0 });
    expect((await hub.parts(id))[0]).toMatchObject({
      state: "failed",
      trouble: { code: "ROLLOUT_COMMAND_UNSUCCESSFUL" },
    });
    const again = (await post(id, "retry")).json as { id: string };
    expect(again).toMatchObject({ retryOf: id, clusters: { all: 1 } });
    await hub.untilRunning(again.id, at(0));
    const rest = (await post(id, "retry", { skipped: true })).json as { id: string };
    expect(rest).toMatchObject({ waves: 2, stopAfterFailures: 1 });
    expect((await hub.parts(rest.id)).map(({ cluster, wave }) => [cluster, wave])).toEqual([
      [names[0], 1] as const,
      ...at(2, 3).map((name) => [name, 2] as const),
    ]);
  });

  it("that is paused goes on with what it began and begins nothing more", async () => {
    const { id } = await hub.start({ ...meant(), maxParallel: 2 });
    await hub.untilRunning(id, at(0, 1));
    expect((await post(id, "pause")).json).toMatchObject({ state: "paused", pause: { why: "asked", by: "alice" } });
    for (const name of at(0, 1)) await hub.end(name);
    await expect.poll(async () => (await hub.see(id)).clusters).toMatchObject({ succeeded: 2, waiting: 2, running: 0 });
    expect((await hub.see(id)).state).toBe("paused");
    await post(id, "resume");
    await hub.untilRunning(id, at(2, 3));
    expect(await post(id, "resume")).toMatchObject({ status: 409, json: { code: "ROLLOUT_NOT_PAUSED" } });
  });

  it("that is cancelled cancels what nobody has, asks agents to stop, and firmly when asked again", async () => {
    const { id } = await hub.start({ ...meant(), maxParallel: 2 });
    await hub.untilRunning(id, at(0, 1));
    const { commands } = await hub.agent(names[0] ?? "").claim({ agentInstanceId: "i", most: 1, kinds: ["manifests"] });
    const held = commands[0]?.id ?? "";
    expect((await post(id, "cancel")).json).toMatchObject({ state: "stopping", cancellation: "graceful" });
    await expect.poll(async () => (await hub.get(held)).cancellation).toBe("graceful");
    await expect.poll(async () => (await hub.see(id)).clusters).toMatchObject({ running: 1, failed: 1 });
    await post(id, "cancel");
    await expect.poll(async () => (await hub.get(held)).cancellation).toBe("forced");
    await hub.agent(names[0] ?? "").report({ id: held, epoch: 1n, sequence: 1n, state: "cancelled" });
    const ended = await hub.untilState(id, "cancelled");
    expect(ended.clusters).toMatchObject({ failed: 2, skipped: 2 });
    expect(await post(id, "cancel")).toMatchObject({ status: 409, json: { code: "ROLLOUT_ENDED" } });
  });

  it("waits for room in a cluster's queue, and others don't wait for it", async () => {
    const [first = "", second = ""] = names;
    for (let index = 0; index < 4; index++) await hub.submit({ cluster: first, set: `s${index}` });
    const { id } = await hub.start({ ...meant() });
    await hub.untilRunning(id, at(1, 2, 3));
    await hub.end(second);
    await hub.end(first);
    await hub.untilRunning(id, at(0, 2, 3));
  });

  it("is the same one under the same key, and another request under it is refused", async () => {
    const asked = { ...meant(), idempotencyKey: randomUUID() };
    const started = await Promise.all([1, 2, 3].map(() => hub.start(asked)));
    expect(new Set(started.map(({ id }) => id)).size).toBe(1);
    await expect(hub.start({ ...asked, maxParallel: 1 })).rejects.toMatchObject({
      code: "ROLLOUT_IDEMPOTENCY_MISMATCH",
    });
    expect((await hub.start(asked, "bob")).id).not.toBe(started[0]?.id);
  });

  it("fails in a cluster that was removed, or has become another one, since it began", async () => {
    const { id } = await hub.start({ ...meant(), waves: [{ size: 1 }], stopAfterFailures: 9 });
    await hub.untilRunning(id, at(0));
    await hub.clusters.remove(names[1] ?? "");
    await hub.clusters.remove(names[2] ?? "");
    await hub.clusters.create({ name: names[2] ?? "", roles: ["execute"] });
    await hub.end(names[0] ?? "");
    await hub.untilRunning(id, at(3));
    expect((await hub.parts(id)).slice(1, 3).map(({ trouble }) => trouble?.code)).toEqual([
      "CLUSTER_NOT_FOUND",
      "ROLLOUT_CLUSTER_CHANGED",
    ]);
  });
});

describe("clusters that can't be asked", () => {
  it("are said with the reason by a preview, which changes nothing; a rollout with them doesn't begin, unless without them", async () => {
    await hub.clusters.revoke(names[0] ?? "", "stolen");
    denied.add(`alice create ${names[1]}`);
    const asked = { kind: "manifests", spec: { set: "web", manifests: "" }, ...meant(), waves: [{ size: 1 }] };
    const preview = (await hub.ask("POST", "/api/v1/rollouts/preview", asked)).json as RolloutPreview;
    expect(preview.items).toEqual([
      { cluster: names[2], wave: 1 },
      { cluster: names[3], wave: 2 },
    ]);
    expect(preview.unusable.map(({ cluster, trouble }) => [cluster, trouble.code])).toEqual([
      [names[0], "COMMAND_CLUSTER_REVOKED"],
      [names[1], "ACCESS_DENIED"],
    ]);
    await expect(hub.start(asked)).rejects.toMatchObject({ status: 403, code: "ACCESS_DENIED" });
    await hub.clusters.revoke(names[1] ?? "", "stolen");
    await expect(hub.start(asked, "bob")).rejects.toMatchObject({ status: 409, code: "ROLLOUT_CLUSTERS_UNUSABLE" });
    const { count } = await harness.store.db
      .selectFrom("rollout_cluster")
      .select(sql<number>`count(*)`.as("count"))
      .where("cluster", "in", names)
      .executeTakeFirstOrThrow();
    expect(count).toBe(0);
    const { id, clusters } = await hub.start({ ...asked, skipUnusable: true });
    expect(clusters).toMatchObject({ all: 4, waiting: 2, skipped: 2 });
    expect((await hub.parts(id)).filter(({ wave }) => wave === 0).map(({ state }) => state)).toEqual([
      "skipped",
      "skipped",
    ]);
    await expect(hub.start({ selector: "fleet=none" })).rejects.toMatchObject({ code: "ROLLOUT_NO_CLUSTERS" });
  });

  it.each([
    ["nowhere", {}],
    ["in two ways", { all: true, selector: "a=b" }],
    ["by waves of nothing", { all: true, waves: [{ size: "0%" }] }],
    ["with what a command doesn't take", { all: true, cluster: "east" }],
    ["by labels that are none", { selector: "a=b=c" }],
  ])("what is asked %s is refused", async (_what, wrong) => {
    await expect(hub.start(wrong)).rejects.toMatchObject({ status: 400 });
  });
});

describe("rights", () => {
  it("are judged again for each cluster when its turn comes", async () => {
    const { id } = await hub.start({ ...meant(), maxParallel: 1 });
    await hub.untilRunning(id, at(0));
    denied.add(`alice create ${names[1]}`);
    await hub.end(names[0] ?? "");
    await hub.untilRunning(id, at(2));
    expect((await hub.parts(id))[1]).toMatchObject({ state: "failed", trouble: { code: "ACCESS_DENIED" } });
  });

  it("end with who had them: nothing more is asked for him", async () => {
    const { id } = await hub.start({ ...meant(), maxParallel: 1 });
    await hub.untilRunning(id, at(0));
    gone.add("alice");
    await hub.end(names[0] ?? "");
    const ended = await hub.untilState(id, "stopped");
    expect(ended).toMatchObject({
      trouble: { code: "ROLLOUT_REQUESTER_GONE" },
      clusters: { succeeded: 1, skipped: 3 },
    });
  });

  it("end with groups that are too old: nothing more is asked for them", async () => {
    const { id } = await hub.start({ ...meant(), maxParallel: 1 });
    await hub.untilRunning(id, at(0));
    refused.add("alice");
    await hub.end(names[0] ?? "");
    const ended = await hub.untilState(id, "stopped");
    refused.clear();
    expect(ended).toMatchObject({ trouble: { code: "ACCESS_GROUPS_OLD" }, clusters: { succeeded: 1, skipped: 3 } });
  });

  it("to see commands in one of its clusters show a rollout with that cluster, and no right shows none", async () => {
    const { id } = await hub.start({ ...meant(), maxParallel: 1 });
    for (const name of names) denied.add(`bob get ${name}`);
    expect(await hub.ask("GET", `/api/v1/rollouts/${id}`, undefined, "bob")).toMatchObject({ status: 404 });
    expect(await post(id, "cancel", {}, "bob")).toMatchObject({ status: 404 });
    expect((await hub.ask("GET", "/api/v1/rollouts", undefined, "bob")).text).not.toContain(id);
    denied.delete(`bob get ${names[3]}`);
    expect((await hub.ask("GET", `/api/v1/rollouts/${id}`, undefined, "bob")).status).toBe(200);
    const { json } = await hub.ask("GET", `/api/v1/rollouts/${id}/clusters`, undefined, "bob");
    expect(json).toMatchObject({ items: [{ cluster: names[3] }] });
    denied.add(`bob update ${names[2]}`);
    for (const what of ["pause", "cancel"]) expect(await post(id, what, {}, "bob")).toMatchObject({ status: 403 });
  });
});

describe("budgets", () => {
  it("leave a person so many rollouts at once, and all together", async () => {
    for (let index = 0; index < 20; index++) await hub.start({ clusters: at(0), maxParallel: 1 }, "greedy");
    await expect(hub.start(meant(), "greedy")).rejects.toMatchObject({ status: 429, code: "ROLLOUT_TOO_MANY" });
    expect((await hub.start(meant(), "modest")).state).toBe("running");
  });

  it("keep so many rollouts of a person that ended, the newest, and none of another's goes for them", async () => {
    await sql`delete from rollout`.execute(harness.store.db);
    const ids: string[] = [];
    for (const user of ["greedy", "greedy", "greedy", "modest"])
      ids.push((await hub.start({ clusters: at(0) }, user)).id);
    const limits = { keptMs: 60_000, rollouts: 2, bytes: 1e9, clusters: 1e9 };
    expect(await forgetRollouts(harness.store.db, limits)).toBe(0);
    await sql`update rollout set state = 'failed', finished_at = now()`.execute(harness.store.db);
    expect(await forgetRollouts(harness.store.db, limits)).toBe(1);
    expect((await hub.ask("GET", `/api/v1/rollouts/${ids[0]}`)).status).toBe(404);
    expect(await forgetRollouts(harness.store.db, { ...limits, clusters: 1 })).toBe(1);
    expect(await forgetRollouts(harness.store.db, { ...limits, keptMs: 0 })).toBe(2);
  });
});
