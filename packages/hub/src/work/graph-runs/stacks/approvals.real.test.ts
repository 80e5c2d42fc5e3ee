// Stacks whose resources need approval, over clusters whose agents are played here.
import { randomUUID } from "node:crypto";
import type { StackRunDetail } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freeAccess, type HarnessAccess } from "../../commands/commands-harness.fixture.ts";
import { openStacksHarness, type StackHub, type StacksHarness } from "./stacks-harness.fixture.ts";

/** Somebody who may only propose. */
const mayPropose = (name: string, verb: string): boolean => name !== "paul" || verb !== "create";
const access: HarnessAccess = {
  ...freeAccess,
  may: ({ name }, { verb }) => mayPropose(name, verb),
  require({ name }, { verb }) {
    if (!mayPropose(name, verb))
      throw new FairleadError({ code: "ACCESS_DENIED", message: "Not allowed.", httpStatus: 403 });
  },
};

let harness: StacksHarness;
let hub: StackHub;
let [east, stack] = ["", ""];
beforeAll(async () => {
  harness = await openStacksHarness();
  hub = await harness.openHub({ access });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  stack = `s${randomUUID().slice(0, 8)}`;
  east = `${stack}-east`;
  await hub.clusters.create({ name: east, roles: ["execute"] });
});

const set = (name: string, more: object = {}) => ({
  cluster: east,
  kind: "manifests",
  spec: { set: name, namespace: "shop", manifests: `# ${name}` },
  ...more,
});
/** `web` needs approval, and comes after `config`, which needs none. */
const resources = () => ({ config: set("config"), web: set("web", { dependsOn: ["config"], approvals: {} }) });
const run = (action: string, user = "alice") =>
  hub.run(stack, { action, ...(action === "destroy" ? {} : { resources: resources() }) }, user);
const stepOf = async (of: StackRunDetail, name: string) => (await hub.see(of)).steps.find((one) => one.name === name);
const untilAwaiting = (of: StackRunDetail, name: string) =>
  expect.poll(async () => (await stepOf(of, name))?.approval).toMatchObject({ required: 1, given: 0, fourEyes: true });

/** An apply whose second step waits for approval. */
async function applyUntilAwaiting(): Promise<{ readonly run: StackRunDetail; readonly planned: string }> {
  const applied = await run("apply");
  await hub.end(east);
  await hub.untilRunning(applied, ["web"]);
  const planned = await hub.plan(east);
  await untilAwaiting(applied, "web");
  return { run: applied, planned };
}

describe("a resource that needs approval", () => {
  it("is planned when its turn comes, waits for somebody else than who asked for the run, and is applied then", async () => {
    const { run: applied, planned } = await applyUntilAwaiting();
    const before = await hub.see(applied);
    expect(before).toMatchObject({ state: "running", counts: { running: 1, succeeded: 1 } });
    expect(before.steps[1]?.approval?.until).toBe((await hub.get(planned)).approval?.until);
    expect(await hub.decide(planned, "approve", "alice")).toBe(403);
    expect(await hub.decide(planned, "approve", "bob")).toBe(200);
    await expect.poll(async () => (await stepOf(applied, "web"))?.approval).toBeUndefined();
    expect((await hub.see(applied)).version).toBeGreaterThan(before.version);
    await hub.end(east);
    await hub.untilState(applied, "succeeded");
  });

  it.each([
    ["rejected", "COMMAND_REJECTED"],
    ["not approved in time", "COMMAND_APPROVAL_EXPIRED"],
  ])("fails when it is %s", async (how, code) => {
    const { run: applied, planned } = await applyUntilAwaiting();
    if (how === "rejected") await hub.decide(planned, "reject", "bob");
    else await sql`update command set approval_until = now() where id = ${planned}`.execute(harness.store.db);
    await hub.untilState(applied, "failed");
    const step = await stepOf(applied, "web");
    expect(step).toMatchObject({ state: "failed", trouble: { code } });
    expect(step?.approval).toBeUndefined();
  });

  it("is cancelled at once with its run", async () => {
    const { run: applied, planned } = await applyUntilAwaiting();
    await hub.cancel(applied);
    await hub.untilState(applied, "cancelled");
    expect((await hub.get(planned)).state).toBe("cancelled");
  });

  it("is destroyed by approval, too, also when it is declared no more", async () => {
    const { run: applied, planned } = await applyUntilAwaiting();
    await hub.decide(planned, "approve", "bob");
    await hub.end(east);
    await hub.untilState(applied, "succeeded");
    for (const asked of [{ action: "apply", resources: {} }, { action: "destroy" }]) {
      const destroying = await hub.run(stack, asked);
      await hub.untilRunning(destroying, ["web"]);
      await hub.plan(east);
      await untilAwaiting(destroying, "web");
      await hub.cancel(destroying);
      await hub.untilState(destroying, "cancelled");
    }
  });

  it("is planned without approval, by who may only propose, too, and he applies nothing that needs none", async () => {
    const planning = await run("plan", "paul");
    await hub.untilRunning(planning, ["config", "web"]);
    expect((await hub.end(east)).map(({ dryRun }) => dryRun)).toEqual([true, true]);
    await hub.untilState(planning, "succeeded");
    await expect(run("apply", "paul")).rejects.toMatchObject({ code: "ACCESS_DENIED" });
    const proposed = { action: "apply", resources: { web: set("web", { approvals: {} }) } };
    const applied = await hub.run(stack, proposed, "paul");
    expect(await hub.decide(await hub.plan(east), "approve", "bob")).toBe(200);
    await hub.end(east);
    await hub.untilState(applied, "succeeded");
  });

  it("keeps its approvals over a hub's end", async () => {
    const first = await harness.openHub({ access });
    const applied = await first.run(stack, { action: "apply", resources: { web: set("web", { approvals: {} }) } });
    const planned = await first.plan(east);
    await first.stop();
    const next = await harness.openHub({ access });
    await untilAwaiting(applied, "web");
    expect(await next.decide(planned, "approve", "bob")).toBe(200);
    await next.end(east);
    await next.untilState(applied, "succeeded");
    await next.stop();
  });
});
