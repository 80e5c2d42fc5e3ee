// Agents claim commands from a real database.
import { randomUUID } from "node:crypto";
import { systemClock } from "@fairlead/kernel";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createClaims } from "./claims.ts";
import { type CommandsHarness, type HarnessHub, openCommandsHarness } from "./commands-harness.fixture.ts";

let harness: CommandsHarness;
let hub: HarnessHub;
let other: HarnessHub;
let cluster: string;
beforeAll(async () => {
  harness = await openCommandsHarness();
  [hub, other] = [await harness.openHub(), await harness.openHub()];
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  cluster = `c${randomUUID().slice(0, 8)}`;
  await hub.clusters.create({ name: cluster, roles: ["execute"] });
});

const kinds = ["manifests"];
const me = "agent-1";
const submit = (set = "web", more: object = {}) => hub.submit({ cluster, set, ...more });
const claim = async (most = 16, agentInstanceId = me, at: HarnessHub = hub) =>
  (await at.agent(cluster).claim({ agentInstanceId, most, kinds })).commands;
const report = async (id: string, epoch: bigint, sequence: number, state: string, at: HarnessHub = hub) =>
  (await at.agent(cluster).report({ id, epoch, sequence: BigInt(sequence), state })).accepted;
const endLease = (id: string) =>
  sql`update command set lease_until = clock_timestamp() - interval '1 second' where id = ${id}`.execute(
    harness.store.db,
  );

describe("a claim", () => {
  it("has one winner among a hundred", async () => {
    const { id } = await submit();
    const claims = createClaims({
      db: harness.store.db,
      freeLeases: async () => undefined,
      isUpheld: () => true,
      uphold: async () => undefined,
    });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        claims.claim({
          cluster,
          agentInstanceId: `agent-${index}`,
          most: 1,
          kinds,
        }),
      ),
    );
    expect(answers.flat().map((one) => [one.id, one.epoch])).toEqual([[id, 1]]);
  });

  it("has one winner among many at two hubs, where a cluster's agents have a few turns at a time", async () => {
    const { id } = await submit();
    const asked = Array.from({ length: 100 }, (_, index) => claim(1, `agent-${index}`, index % 2 ? hub : other));
    const answers = await Promise.allSettled(asked);
    expect(answers.flatMap((one) => (one.status === "fulfilled" ? one.value.map((got) => got.id) : []))).toEqual([id]);
    for (const one of answers) if (one.status === "rejected") expect(one.reason.message).toContain("CALLS_TOO_MANY");
  });

  it("takes what is for one target in the order in which it was asked for, and other targets meanwhile", async () => {
    const [first, second, beside] = [await submit("a"), await submit("a", { priority: 9 }), await submit("b")];
    const taken = await claim();
    expect(taken.map(({ id }) => id)).toEqual([first.id, beside.id]);
    expect(await claim()).toEqual([]);
    expect(await report(first.id, 1n, 1, "failed")).toBe(true);
    expect((await claim()).map(({ id }) => id)).toEqual([second.id]);
  });

  it("goes by priority, which rises while a command waits", async () => {
    const [low, high] = [await submit("a", { priority: 0 }), await submit("b", { priority: 9 })];
    const age = sql`update command set created_at = created_at - interval '1 hour' where id = ${low.id}`;
    await age.execute(harness.store.db);
    const [fresh] = [await submit("c", { priority: 9 })];
    expect((await claim(1))[0]?.id).toBe(low.id);
    expect((await claim(2)).map(({ id }) => id)).toEqual([high.id, fresh.id]);
  });

  it("leaves sixteen commands with the agents of a cluster, however many ask at once", async () => {
    for (let index = 0; index < 20; index++) await submit(`set-${index}`);
    const taken = await Promise.all(Array.from({ length: 8 }, () => claim(4)));
    expect(taken.flat().length).toBe(16);
    expect(new Set(taken.flat().map(({ id }) => id)).size).toBe(16);
  });

  it("brings what the agent can run and no other kind, and nothing to an agent of another cluster or role", async () => {
    await submit();
    const asked = { agentInstanceId: me, most: 4 };
    expect((await hub.agent(cluster).claim({ ...asked, kinds: ["helm"] })).commands).toEqual([]);
    expect((await hub.agent("another").claim({ ...asked, kinds })).commands).toEqual([]);
    const observer = hub.agent(cluster, { roles: ["observe", "proxy"] });
    await expect(observer.claim({ ...asked, kinds })).rejects.toThrow("COMMAND_ROLE_REQUIRED");
  });

  it("is signed: what it says is the command as it was asked for, and it holds until the deadline", async () => {
    const { compactVerify, importJWK } = await import("jose");
    const spec = { set: "web", namespace: "shop", manifests: "kind: ConfigMap", prune: true };
    const { id } = await hub.submit({ cluster, spec, deadlineSeconds: 3_600 });
    const [claimed] = await claim();
    const [key] = other.keys.list();
    const { payload, protectedHeader } = await compactVerify(
      claimed?.envelope ?? "",
      await importJWK(JSON.parse(key?.publicJwk ?? ""), "EdDSA"),
    );
    expect(protectedHeader).toEqual({ alg: "EdDSA", kid: key?.id, typ: "fairlead-command" });
    const envelope = JSON.parse(new TextDecoder().decode(payload));
    expect(envelope).toMatchObject({ id, cluster, kind: "manifests", spec, dryRun: false, requester: "alice" });
    expect(Math.abs(envelope.expiresAtMs - envelope.issuedAtMs - 3_600_000)).toBeLessThan(5_000);
  });

  it("of a name that means another cluster by now brings nothing", async () => {
    const { id } = await submit();
    await hub.clusters.remove(cluster);
    await hub.clusters.create({ name: cluster, roles: ["execute"] });
    expect(await claim()).toEqual([]);
    await expect.poll(async () => (await hub.get(id)).state).toBe("cancelled");
    expect((await hub.get(id)).trouble).toMatchObject({ code: "COMMAND_WITHDRAWN" });
  });
});

describe("a lease that is over", () => {
  it("hands the command over under the next epoch, and nothing counts under the old one", async () => {
    const { id } = await submit();
    await claim();
    expect(await report(id, 1n, 1, "running")).toBe(true);
    await endLease(id);
    const [again] = await claim(1, "agent-2", other);
    expect(again).toMatchObject({ id, epoch: 2n });
    expect(await report(id, 1n, 2, "succeeded")).toBe(false);
    const renewed = await hub.agent(cluster).renewLeases({ agentInstanceId: me, commands: [{ id, epoch: 1n }] });
    expect(renewed.leases).toMatchObject([{ id, held: false }]);
    expect(await report(id, 2n, 1, "succeeded", other)).toBe(true);
    const { state, history, claims } = await hub.get(id);
    expect([state, claims]).toEqual(["succeeded", 2]);
    expect(history.map(({ to }) => to)).toEqual(["queued", "claimed", "running", "queued", "claimed", "succeeded"]);
  });

  it("still lets the agent deliver its outcome if nobody has claimed the command since", async () => {
    const { id } = await submit();
    await claim();
    await endLease(id);
    await expect.poll(async () => (await hub.get(id)).state).toBe("queued");
    expect(await report(id, 1n, 1, "succeeded")).toBe(true);
    expect(await claim()).toEqual([]);
  });

  it("ends a command that five agents in turn have lost", async () => {
    const { id } = await submit();
    const after = await submit();
    for (let epoch = 1n; epoch <= 5n; epoch++) {
      expect(await claim(1)).toMatchObject([{ id, epoch }]);
      await endLease(id);
    }
    expect(await claim()).toMatchObject([{ id: after.id }]);
    expect(await hub.get(id)).toMatchObject({ state: "lost", trouble: { code: "COMMAND_LEASES_LOST" } });
    expect(await report(id, 5n, 1, "succeeded")).toBe(false);
  });

  it("is renewed by its agent, and ended at once by one that stops", async () => {
    const { id } = await submit();
    await claim();
    const held = (more: object = {}) =>
      hub.agent(cluster).renewLeases({ agentInstanceId: me, commands: [{ id, epoch: 1n, ...more }] });
    expect((await held()).leases).toMatchObject([{ id, held: true, leaseMs: 30_000, cancellation: 0 }]);
    expect((await held({ giveBack: true })).leases).toMatchObject([{ held: false }]);
    expect(await claim(1, "agent-2")).toMatchObject([{ id, epoch: 2n }]);
  });
});

describe("scenario 7: a hub whose clock is wrong", () => {
  it.each([-25 * 60, -10, 10, 25 * 60])("by %i minutes gives, keeps and ends leases as others do", async (minutes) => {
    const now = (): number => Date.now() + minutes * 60_000;
    const wrong = await harness.openHub({ clock: { ...systemClock, now } });
    const { id } = await submit();
    const [claimed] = await claim(1, me, wrong);
    expect(claimed).toMatchObject({ id, epoch: 1n });
    // Agents know this hub's clock and no other.
    const [, payload = ""] = (claimed?.envelope ?? "").split(".");
    const { issuedAtMs } = JSON.parse(Buffer.from(payload, "base64url").toString());
    expect(Math.abs(issuedAtMs - now())).toBeLessThan(60_000);
    expect(await claim(1, "agent-2")).toEqual([]);
    const renewed = await wrong.agent(cluster).renewLeases({ agentInstanceId: me, commands: [{ id, epoch: 1n }] });
    expect(renewed.leases).toMatchObject([{ id, held: true }]);
    expect(await report(id, 1n, 1, "running", wrong)).toBe(true);
    await endLease(id);
    expect(await claim(1, "agent-2", other)).toMatchObject([{ id, epoch: 2n }]);
    expect(await report(id, 1n, 2, "succeeded", wrong)).toBe(false);
    expect(await report(id, 2n, 1, "succeeded")).toBe(true);
    await wrong.stop();
  });
});

describe("a report", () => {
  it("counts once, however often it comes, and a command goes forward only", async () => {
    const { id } = await submit();
    await claim();
    for (const [sequence, state] of [
      [2, "running"],
      [1, "resolving"],
      [2, "running"],
    ] as const)
      expect(await report(id, 1n, sequence, state)).toBe(true);
    const resultJson = new TextEncoder().encode('{"objects":[]}');
    for (let times = 0; times < 3; times++) {
      const said = { id, epoch: 1n, sequence: 3n, state: "succeeded", resultJson };
      expect((await hub.agent(cluster).report(said)).accepted).toBe(true);
    }
    expect(await report(id, 1n, 4, "failed")).toBe(false);
    const { history, result, state } = await hub.get(id);
    expect(history.map(({ to }) => to)).toEqual(["queued", "claimed", "running", "succeeded"]);
    expect([state, result]).toEqual(["succeeded", { objects: [] }]);
  });

  it("with more than there is room for counts, without what is too large", async () => {
    const { id } = await submit();
    await claim();
    const resultJson = new TextEncoder().encode(JSON.stringify("x".repeat(1024 * 1024)));
    const said = { code: "C".repeat(100), message: "m\0".repeat(9_000), hint: "h".repeat(9_000), resultJson };
    const agent = hub.agent(cluster);
    expect((await agent.report({ id, epoch: 1n, sequence: 1n, state: "failed", ...said })).accepted).toBe(true);
    const { state, result, trouble } = await hub.get(id);
    expect([state, result]).toEqual(["failed", undefined]);
    expect(trouble?.code.length).toBe(64);
    expect([trouble?.message.length, trouble?.hint?.length]).toEqual([4_096, 4_096]);
  });

  it("of another cluster's command, or with what is no report, is refused", async () => {
    const { id } = await submit();
    await claim();
    expect((await hub.agent("another").report({ id, epoch: 1n, sequence: 1n, state: "failed" })).accepted).toBe(false);
    await expect(report(id, 1n, 1, "lost")).rejects.toThrow("COMMAND_CALL_INVALID");
    await expect(report("cmd_x", 1n, 1, "failed")).rejects.toThrow("COMMAND_CALL_INVALID");
    expect((await hub.get(id)).state).toBe("claimed");
  });
});

describe("hubs that share a database", () => {
  it("hint at a command that came to one of them, and at one that is to be cancelled", async () => {
    const stop = new AbortController();
    const waiting = other.agent(cluster).await({}, { signal: stop.signal })[Symbol.asyncIterator]();
    expect((await waiting.next()).value).toMatchObject({ queued: true });
    const { id } = await submit();
    expect((await waiting.next()).value).toMatchObject({ queued: true });
    expect(await claim(1, me, other)).toMatchObject([{ id }]);
    const cancelled = await hub.ask("POST", `/api/v1/commands/${id}/cancel`);
    expect(cancelled.json).toMatchObject({ state: "claimed", cancellation: "graceful" });
    expect((await waiting.next()).value).toMatchObject({ changedCommands: [id] });
    const { leases } = await other.agent(cluster).renewLeases({ agentInstanceId: me, commands: [{ id, epoch: 1n }] });
    expect(leases).toMatchObject([{ held: true, cancellation: 1 }]);
    stop.abort();
  });

  it("end the waits of their agents when they stop, and begin no new ones", async () => {
    const third = await harness.openHub();
    const wait = () => third.agent(cluster).await({})[Symbol.asyncIterator]();
    const waiting = wait();
    await waiting.next();
    third.room.stop();
    expect((await waiting.next()).done).toBe(true);
    await expect(wait().next()).rejects.toThrow("COMMAND_HUB_STOPPING");
  });

  it("find what was queued when the hint was lost", async () => {
    const deaf = await harness.openHub({ isDeaf: true });
    const stop = new AbortController();
    const waiting = deaf.agent(cluster).await({}, { signal: stop.signal })[Symbol.asyncIterator]();
    await waiting.next();
    await submit();
    expect((await waiting.next()).value).toMatchObject({ queued: true });
    stop.abort();
  });
});

describe("reports of several commands in one call", () => {
  const step = (id: string, sequence: number, state: string) => ({ id, epoch: 1n, sequence: BigInt(sequence), state });
  const reportAll = async (reports: readonly ReturnType<typeof step>[]) =>
    (await hub.agent(cluster).reportAll({ reports: [...reports] })).answers;

  it("count together, in their order, also where they are about one command", async () => {
    const ids = [];
    for (const set of ["a", "b", "c"]) ids.push((await submit(set)).id);
    await claim();
    const reports = ids.flatMap((id) => [step(id, 1, "running"), step(id, 2, "succeeded")]);
    expect(await reportAll(reports)).toMatchObject(reports.map(() => ({ accepted: true, alone: false })));
    for (const id of ids) {
      const { state, history } = await hub.get(id);
      expect([state, ...history.map(({ to }) => to)]).toEqual([
        "succeeded",
        "queued",
        "claimed",
        "running",
        "succeeded",
      ]);
    }
    // The answer was lost, and all are said again.
    expect(await reportAll(reports)).toMatchObject(reports.map(() => ({ accepted: true, alone: false })));
    expect((await hub.get(ids[0] ?? "")).history).toHaveLength(4);
  });

  it("count by themselves: one that is wrong, late or of another cluster takes nothing from the others", async () => {
    const [good, lapsed] = [await submit("a"), await submit("b")];
    await claim();
    await endLease(lapsed.id);
    await claim(1, "agent-2", other);
    const elsewhere = `c${randomUUID().slice(0, 8)}`;
    await hub.clusters.create({ name: elsewhere, roles: ["execute"] });
    const foreign = await hub.submit({ cluster: elsewhere, set: "a" });
    await hub.agent(elsewhere).claim({ agentInstanceId: me, most: 1, kinds });
    const answers = await reportAll([
      step(lapsed.id, 1, "succeeded"),
      step("nonsense", 1, "succeeded"),
      step(foreign.id, 1, "failed"),
      step(good.id, 1, "sideways"),
      step(good.id, 1, "succeeded"),
      step("cmd_00000000000000000000000000", 1, "succeeded"),
    ]);
    const [taken, refused, alone] = [
      { accepted: true, alone: false },
      { accepted: false, alone: false },
      { accepted: false, alone: true },
    ];
    expect(answers).toMatchObject([refused, alone, refused, alone, taken, refused]);
    expect((await hub.get(good.id)).state).toBe("succeeded");
    expect((await hub.get(foreign.id)).state).toBe("claimed");
    expect((await hub.get(lapsed.id)).state).toBe("claimed");
  });
});
