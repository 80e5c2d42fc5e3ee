// Rollouts whose commands need approval, over clusters whose agents are played here.
import { randomUUID } from "node:crypto";
import type { Rollout, RolloutClusterList } from "@fairlead/contract";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openRolloutsHarness, type RolloutHub, type RolloutsHarness } from "./rollouts-harness.fixture.ts";

let harness: RolloutsHarness;
let hub: RolloutHub;
let [east, west] = ["", ""];
let meant: object;
beforeAll(async () => {
  harness = await openRolloutsHarness();
  hub = await harness.openHub();
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  const prefix = `c${randomUUID().slice(0, 6)}`;
  [east, west] = [`${prefix}-east`, `${prefix}-west`];
  meant = { selector: `fleet=${await hub.makeFleet([east, west])}`, waves: [{ clusters: [east] }] };
});

const start = (approvals: object = {}, more: object = {}) => hub.start({ ...meant, approvals, ...more });
const commandIn = async ({ id }: Rollout, cluster: string) =>
  (await hub.parts(id)).find((part) => part.cluster === cluster)?.command ?? "";
const untilAwaiting = (id: string, count: number | undefined) =>
  expect.poll(async () => (await hub.see(id)).awaitingApproval).toBe(count);
const codesOf = async (id: string) => (await hub.parts(id)).map(({ state, trouble }) => [state, trouble?.code]);

describe("a rollout whose commands need approval", () => {
  it("says what waits for whom, and goes on when that is approved, cluster by cluster", async () => {
    const rollout = await start({ required: 2 });
    const { id } = rollout;
    const planned = await hub.plan(east);
    await untilAwaiting(id, 1);
    expect(await commandIn(rollout, east)).toBe(planned);
    const shown = (await hub.parts(id))[0];
    const digest = (await hub.get(planned)).approval?.digest;
    expect(shown?.approval).toEqual({ required: 2, given: 0, fourEyes: true, digest, until: expect.any(String) });
    expect(shown?.approval?.until).toBe((await hub.get(planned)).approval?.until);
    const { version } = await hub.see(id);
    expect(await hub.decide(planned, "approve", "bob")).toBe(200);
    // Followers hear that one approval less is missing.
    const changed = async () => {
      const { json } = await hub.ask("GET", `/api/v1/rollouts/${id}/clusters?since=${version}`);
      return (json as RolloutClusterList).items.map(({ cluster, approval }) => [cluster, approval?.given]);
    };
    await expect.poll(changed).toEqual([[east, 1]]);
    await hub.untilRunning(id, [east]);
    expect(await hub.decide(planned, "approve", "carol")).toBe(200);
    await untilAwaiting(id, undefined);
    expect((await hub.parts(id))[0]?.approval).toBeUndefined();
    await hub.end(east);
    await hub.untilRunning(id, [west]);
    const second = await hub.plan(west);
    for (const user of ["bob", "carol"]) expect(await hub.decide(second, "approve", user)).toBe(200);
    await hub.end(west);
    expect((await hub.untilState(id, "succeeded")).clusters).toMatchObject({ succeeded: 2 });
  });

  it("isn't approved by who asked for the rollout, also as its retry", async () => {
    const { id } = await start();
    const planned = await hub.plan(east);
    expect(await hub.decide(planned, "approve", "alice")).toBe(403);
    await hub.decide(planned, "reject", "bob");
    await hub.untilState(id, "stopped");
    const { json } = await hub.ask("POST", `/api/v1/rollouts/${id}/retry`, {}, "carol");
    const again = json as Rollout;
    const replanned = await hub.plan(east);
    expect(await hub.decide(replanned, "approve", "carol")).toBe(403);
    expect(await hub.decide(replanned, "approve", "alice")).toBe(200);
    await hub.end(east);
    await hub.untilState(again.id, "succeeded");
  });

  it.each([
    ["rejected", "COMMAND_REJECTED"],
    ["not approved in time", "COMMAND_APPROVAL_EXPIRED"],
  ])("is stopped by one that is %s, as by any failure", async (how, code) => {
    const { id } = await start();
    const planned = await hub.plan(east);
    await untilAwaiting(id, 1);
    if (how === "rejected") await hub.decide(planned, "reject", "bob");
    else await sql`update command set approval_until = now() where id = ${planned}`.execute(harness.store.db);
    expect(await codesOf((await hub.untilState(id, "stopped")).id)).toEqual([
      ["failed", code],
      ["skipped", undefined],
    ]);
    expect((await hub.see(id)).awaitingApproval).toBeUndefined();
  });

  it("cancels what waits when it is cancelled, at once", async () => {
    const { id } = await start({}, { waves: undefined });
    const [one, other] = [await hub.plan(east), await hub.plan(west)];
    await untilAwaiting(id, 2);
    await hub.decide(one, "approve", "bob");
    await hub.ask("POST", `/api/v1/rollouts/${id}/cancel`, {});
    await hub.untilState(id, "cancelled");
    for (const command of [one, other]) {
      expect((await hub.get(command)).state).toBe("cancelled");
      expect(await hub.decide(command, "approve", "carol")).toBe(409);
    }
  });

  it("keeps what was approved over a hub's end, and takes approvals at the next one", async () => {
    const first = await harness.openHub();
    const rollout = await first.start({ ...meant, approvals: { required: 2 } });
    const planned = await first.plan(east);
    expect(await first.decide(planned, "approve", "bob")).toBe(200);
    await first.stop();
    const next = await harness.openHub();
    await expect.poll(async () => (await next.parts(rollout.id))[0]?.approval?.given).toBe(1);
    expect(await next.decide(planned, "approve", "bob")).toBe(409);
    expect(await next.decide(planned, "approve", "carol")).toBe(200);
    await next.end(east);
    await next.untilRunning(rollout.id, [west]);
    await next.stop();
  });
});
