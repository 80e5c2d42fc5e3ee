// Stacks over clusters whose agents are played here.
import { randomUUID } from "node:crypto";
import type { StackList } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { freeAccess, type HarnessAccess } from "../../commands/commands-harness.fixture.ts";
import type { StackKinds } from "./kinds.ts";
import { forgetStackRuns } from "./retention.ts";
import { openStacksHarness, type StackHub, type StacksHarness } from "./stacks-harness.fixture.ts";

/** Denied rights, as `user verb resource`; and names of people who are gone. */
const denied = new Set<string>();
const gone = new Set<string>();
/** Signed in too long ago. */
const refused = new Set<string>();
const access: HarnessAccess = {
  ...freeAccess,
  recall: (asker) => (gone.has(asker.name) ? undefined : { ...asker, groups: [] }),
  refuseAbsent: ({ name }) =>
    refused.has(name)
      ? new FairleadError({ code: "ACCESS_GROUPS_OLD", message: "Too old.", httpStatus: 403 })
      : undefined,
  may: ({ name }, { verb, resource }) => !denied.has(`${name} ${verb} ${resource}`),
  require({ name }, { verb, resource }) {
    if (denied.has(`${name} ${verb} ${resource}`))
      throw new FairleadError({ code: "ACCESS_DENIED", message: "Not allowed.", httpStatus: 403 });
  },
};
/** Sets whose name begins with `out-` give outputs out. */
const kinds: StackKinds = {
  manifests: {
    isDeclaring: () => true,
    destroySpecOf: ({ set, namespace }) => ({ set, namespace, manifests: "", prune: true, allowEmpty: true }),
    outputsSecretOf: ({ set, namespace = "default" }) =>
      set.startsWith("out-") ? { namespace, name: set } : undefined,
  },
};

let harness: StacksHarness;
let hub: StackHub;
let [east, west] = ["", ""];
let stack: string;
beforeAll(async () => {
  harness = await openStacksHarness();
  hub = await harness.openHub({
    access,
    kinds,
    limits: { queue: { commands: 16, bytes: 99_999 } },
    shares: { ofOne: { stacks: 4, runs: 3, bytes: 4_000 }, ofAll: { stacks: 100, runs: 60, bytes: 999_999 } },
  });
});
afterAll(() => harness[Symbol.asyncDispose]());
beforeEach(async () => {
  denied.clear();
  gone.clear();
  await sql`update stack_run set finished_at = now(), state = 'cancelled' where finished_at is null`.execute(
    harness.store.db,
  );
  await sql`delete from stack_resource`.execute(harness.store.db);
  stack = `s${randomUUID().slice(0, 8)}`;
  east = `${stack}-east`;
  west = `${stack}-west`;
  for (const name of [east, west]) await hub.clusters.create({ name, roles: ["execute"] });
});

const set = (name: string, cluster = east, dependsOn?: string[], manifests = `# ${name}`) => ({
  cluster,
  kind: "manifests",
  spec: { set: name, namespace: "shop", manifests },
  dependsOn,
});
const apply = (resources: object, more: object = {}) => hub.run(stack, { action: "apply", resources, ...more });
const states = ({ steps }: { steps: readonly { name: string; action: string; state: string }[] }) =>
  steps.map(({ name, action, state }) => `${action} ${name}: ${state}`);
const known = async () =>
  (await hub.show(stack)).resources.map(({ name, cluster, outcome }) => `${name} ${cluster} ${outcome}`);
const codes = ({ steps }: { steps: readonly { trouble?: { code: string } | undefined }[] }) =>
  steps.map(({ trouble }) => trouble?.code);
/** Ends the commands of these steps, one after the other, as they come. */
async function work(run: Awaited<ReturnType<typeof apply>>, ...turns: readonly [name: string, cluster: string][]) {
  for (const [name, cluster] of turns) {
    await hub.untilRunning(run, [name]);
    await hub.end(cluster);
  }
  return await hub.untilState(run, "succeeded");
}

describe("an apply", () => {
  it("asks for each resource in its cluster after those that it depends on, and keeps what came of it", async () => {
    const run = await apply({ web: set("web", west, ["config"]), config: set("config") });
    expect(run).toMatchObject({ stack, action: "apply", requester: "alice", counts: { all: 2 } });
    await hub.untilRunning(run, ["config"]);
    expect(await known()).toEqual([`config ${east} running`]);
    const [first] = (await hub.see(run)).steps;
    expect(await hub.get(first?.command ?? "")).toMatchObject({ stackRun: run.id, requester: "alice", cluster: east });
    await hub.end(east);
    await hub.untilRunning(run, ["web"]);
    expect(await hub.end(west)).toMatchObject([{ dryRun: false, spec: { set: "web", manifests: "# web" } }]);
    const ended = await hub.untilState(run, "succeeded");
    expect(ended.finishedAt).toBeDefined();
    expect(states(ended)).toEqual(["apply config: succeeded", "apply web: succeeded"]);
    expect(await known()).toEqual([`config ${east} succeeded`, `web ${west} succeeded`]);
    expect((await hub.show(stack)).resources[1]).toMatchObject({ dependsOn: ["config"], target: "manifests/shop/web" });
  });

  it("asks for a resource when all those that it depends on are there, and not before", async () => {
    const run = await apply({ a: set("a"), b: set("b", west), c: set("c", east, ["a", "b"]) });
    await hub.untilRunning(run, ["a", "b"]);
    await hub.end(east);
    await hub.untilRunning(run, ["b"]);
    await work(run, ["b", west], ["c", east]);
  });

  it("does what it can at once, so many at a time as is wished", async () => {
    const all = await apply({ a: set("a"), b: set("b"), c: set("c", west) });
    await hub.untilRunning(all, ["a", "b", "c"]);
    await hub.cancel(all);
    await hub.untilState(all, "cancelled");
    const run = await apply({ a: set("a"), b: set("b"), c: set("c", west) }, { maxParallel: 2 });
    await hub.untilRunning(run, ["a", "b"]);
    await hub.end(east);
    await hub.untilRunning(run, ["c"]);
  });

  it("skips what comes after a failure and goes on with the rest; what failed is known and destroyed later", async () => {
    const run = await apply({ a: set("a"), b: set("b", east, ["a"]), c: set("c", east, ["b"]), d: set("d", west) });
    await hub.untilRunning(run, ["a", "d"]);
    await hub.end(east, "failed");
    await hub.end(west);
    const ended = await hub.untilState(run, "failed");
    expect(states(ended)).toEqual(["apply a: failed", "apply b: skipped", "apply c: skipped", "apply d: succeeded"]);
    expect(codes(ended)).toEqual(["STACK_COMMAND_UNSUCCESSFUL", "STACK_STEP_SKIPPED", "STACK_STEP_SKIPPED", undefined]);
    expect(await known()).toEqual([`a ${east} failed`, `d ${west} succeeded`]);
    const destroy = await hub.run(stack, { action: "destroy" });
    await hub.untilRunning(destroy, ["a", "d"]);
  });

  it("destroys what is declared no more in the reverse order, after what used it is applied", async () => {
    const resources = { db: set("db"), cache: set("cache", east, ["db"]), web: set("web", west, ["cache"]) };
    await work(await apply(resources), ["db", east], ["cache", east], ["web", west]);
    const run = await apply({ web: set("web", west) });
    await hub.untilRunning(run, ["web"]);
    await hub.end(west);
    await hub.untilRunning(run, ["cache"]);
    const empty = { namespace: "shop", manifests: "", prune: true, allowEmpty: true };
    expect(await hub.end(east)).toMatchObject([{ spec: { set: "cache", ...empty } }]);
    await hub.untilRunning(run, ["db"]);
    await hub.end(east);
    await hub.untilState(run, "succeeded");
    expect(await known()).toEqual([`web ${west} succeeded`]);
  });

  it("destroys a resource at its old place when it is there at its new one", async () => {
    await work(await apply({ a: set("a") }), ["a", east]);
    const run = await apply({ a: set("a", west) });
    await hub.untilRunning(run, ["a"]);
    expect(await known()).toEqual([`a ${east} succeeded`, `a ${west} running`]);
    await hub.end(west, "failed");
    expect(states(await hub.untilState(run, "failed"))).toEqual(["apply a: failed", "destroy a: skipped"]);
    await work(await apply({ a: set("a", west) }), ["a", west], ["a", east]);
    expect(await known()).toEqual([`a ${west} succeeded`]);
  });

  it("keeps a resource that has another name now", async () => {
    await work(await apply({ a: set("same") }), ["a", east]);
    await work(await apply({ b: set("same") }), ["b", east]);
    expect(await known()).toEqual([`b ${east} succeeded`]);
  });

  it("is one at a time of a stack, and the same one under the same key", async () => {
    const asked = { idempotencyKey: randomUUID() };
    const runs = await Promise.all([1, 2].map(() => apply({ a: set("a") }, asked)));
    expect(new Set(runs.map(({ id }) => id)).size).toBe(1);
    await expect(apply({ a: set("a") })).rejects.toMatchObject({ status: 409, code: "STACK_BUSY" });
    await expect(apply({ b: set("b") }, asked)).rejects.toMatchObject({ code: "STACK_IDEMPOTENCY_MISMATCH" });
  });

  it("refuses what another stack has, and what can't be asked, before anything begins", async () => {
    await work(await apply({ a: set("a") }), ["a", east]);
    await expect(hub.run("other", { action: "apply", resources: { x: set("a") } })).rejects.toMatchObject({
      status: 409,
      code: "STACK_TARGET_TAKEN",
    });
    await hub.clusters.revoke(west, "stolen");
    const asked = { a: set("a", east, [], "# new"), b: set("b", west) };
    await expect(apply(asked)).rejects.toMatchObject({ code: "COMMAND_CLUSTER_REVOKED" });
    await expect(hub.run("Not-A-Name", { action: "destroy" })).rejects.toMatchObject({ status: 400 });
    await expect(hub.run("nowhere", { action: "destroy" })).rejects.toMatchObject({ code: "STACK_NOT_FOUND" });
    expect((await hub.show(stack)).run?.state).toBe("succeeded");
  });
});

describe("a destroy", () => {
  it("takes everything away in the reverse order, and forgets what is in clusters that are no more", async () => {
    const resources = { db: set("db"), web: set("web", east, ["db"]), far: set("far", west) };
    const applied = await apply(resources);
    await hub.untilRunning(applied, ["db", "far"]);
    await hub.end(west);
    await work(applied, ["db", east], ["web", east]);
    await hub.clusters.remove(west);
    const run = await hub.run(stack, { action: "destroy" });
    const ended = await work(run, ["web", east], ["db", east]);
    expect(ended.steps.find(({ name }) => name === "far")).toMatchObject({ trouble: { code: "STACK_CLUSTER_GONE" } });
    expect(await known()).toEqual([]);
    expect(states(await hub.untilState(await hub.run(stack, { action: "destroy" }), "succeeded"))).toEqual([]);
  });
});

describe("a plan", () => {
  it("asks for dry runs of all at once, says what is known only later, and changes nothing that is known", async () => {
    const uses = (key: string) => `password: $\{resources.db.outputs.${key}} $$\{resources.db}`;
    const resources = { db: set("out-db"), web: set("web", east, undefined, uses("p")), old: set("old", west) };
    const run = await hub.run(stack, { action: "plan", resources });
    await hub.untilRunning(run, ["db", "old"]);
    expect(await hub.end(east)).toMatchObject([{ dryRun: true, spec: { set: "out-db" } }]);
    await hub.end(west);
    const ended = await hub.untilState(run, "succeeded");
    expect(states(ended)).toEqual(["apply db: succeeded", "apply web: skipped", "apply old: succeeded"]);
    expect(codes(ended)).toEqual([undefined, "STACK_KNOWN_LATER", undefined]);
    expect(await known()).toEqual([]);
    const applied = await apply({ db: set("out-db"), old: set("old", west) });
    await hub.untilRunning(applied, ["db", "old"]);
    await hub.end(west);
    await work(applied, ["db", east]);
    const { old: _, ...left } = resources;
    const again = await hub.run(stack, { action: "plan", resources: left });
    await hub.untilRunning(again, ["db", "web", "old"]);
    const web = (await hub.end(east)).find(({ spec }) => spec["set"] === "web");
    expect(web?.spec["manifests"]).toBe(`password: $\{secret:shop/out-db/p} $\{resources.db}`);
    expect(await hub.end(west)).toMatchObject([{ dryRun: true, spec: { set: "old", prune: true } }]);
    await hub.untilState(again, "succeeded");
    expect(await known()).toEqual([`db ${east} succeeded`, `old ${west} succeeded`]);
  });
});

describe("cancelling", () => {
  it("begins nothing more, asks agents to stop, and firmly when asked again", async () => {
    const run = await apply({ a: set("a"), b: set("b", east, ["a"]), c: set("c", west) });
    await hub.untilRunning(run, ["a", "c"]);
    const { commands } = await hub.agent(east).claim({ agentInstanceId: "i", most: 1, kinds: ["manifests"] });
    const held = commands[0]?.id ?? "";
    expect(await hub.cancel(run)).toMatchObject({
      state: "cancelling",
      cancellation: "graceful",
      cancelledBy: "alice",
    });
    await expect.poll(async () => (await hub.get(held)).cancellation).toBe("graceful");
    await hub.cancel(run);
    await expect.poll(async () => (await hub.get(held)).cancellation).toBe("forced");
    await hub.agent(east).report({ id: held, epoch: 1n, sequence: 1n, state: "cancelled" });
    const ended = await hub.untilState(run, "cancelled");
    expect(states(ended)).toEqual(["apply a: cancelled", "apply b: cancelled", "apply c: cancelled"]);
    expect(await known()).toEqual([`a ${east} cancelled`, `c ${west} cancelled`]);
    const again = await hub.ask("POST", `/api/v1/stacks/${stack}/runs/${run.id}/cancel`, {});
    expect(again).toMatchObject({ status: 409, json: { code: "STACK_RUN_ENDED" } });
  });
});

describe("rights", () => {
  it("on the stack by its name, and on commands as each is made", async () => {
    denied.add(`alice apply stacks/${stack}`);
    for (const action of ["plan", "apply"])
      await expect(hub.run(stack, { action, resources: {} })).rejects.toMatchObject({ status: 403 });
    denied.clear();
    const run = await apply({ a: set("a"), b: set("b", east, ["a"]), c: set("c", east, ["b"]) });
    await hub.untilRunning(run, ["a"]);
    denied.add("alice create commands/manifests");
    await hub.end(east);
    expect(codes(await hub.untilState(run, "failed"))).toEqual([undefined, "ACCESS_DENIED", "STACK_STEP_SKIPPED"]);
    denied.add(`alice destroy stacks/${stack}`);
    await expect(hub.run(stack, { action: "destroy" })).rejects.toMatchObject({ status: 403 });
  });

  it("that are taken away, and requesters that are gone, let nothing more begin", async () => {
    const run = await apply({ a: set("a"), b: set("b", east, ["a"]) });
    await hub.untilRunning(run, ["a"]);
    denied.add(`alice apply stacks/${stack}`);
    await hub.end(east);
    expect(codes(await hub.untilState(run, "failed"))).toEqual([undefined, "ACCESS_DENIED"]);
    denied.clear();
    const other = await apply({ a: set("a"), b: set("b", east, ["a"]) });
    await hub.untilRunning(other, ["a"]);
    gone.add("alice");
    await hub.end(east);
    expect(codes(await hub.untilState(other, "failed"))).toEqual([undefined, "STACK_REQUESTER_GONE"]);
    gone.clear();
    const third = await apply({ a: set("a"), b: set("b", east, ["a"]) });
    await hub.untilRunning(third, ["a"]);
    refused.add("alice");
    await hub.end(east);
    expect(codes(await hub.untilState(third, "failed"))).toEqual([undefined, "ACCESS_GROUPS_OLD"]);
    refused.clear();
  });

  it("to see it show a stack, and without them there is none", async () => {
    const run = await apply({ a: set("a") });
    denied.add(`bob get stacks/${stack}`).add(`bob list stacks/${stack}`);
    const at = `/api/v1/stacks/${stack}`;
    for (const path of [at, `${at}/runs`, `${at}/runs/${run.id}`])
      expect(await hub.ask("GET", path, undefined, "bob")).toMatchObject({ status: 404 });
    expect(await hub.ask("POST", `${at}/runs/${run.id}/cancel`, {}, "bob")).toMatchObject({ status: 404 });
    expect((await hub.ask("GET", "/api/v1/stacks", undefined, "bob")).text).not.toContain(stack);
    await hub.untilRunning(run, ["a"]);
    const { items } = (await hub.ask("GET", "/api/v1/stacks?limit=500")).json as StackList;
    expect(items.find(({ name }) => name === stack)).toMatchObject({ resources: 1, run: { id: run.id } });
    expect((await hub.ask("GET", `${at}/runs?limit=1`)).json).toMatchObject({ items: [{ id: run.id }] });
  });
});

describe("budgets", () => {
  const greedy = (name: string, more: object = {}) =>
    hub.run(name, { action: "apply", resources: { [name]: set(name) }, ...more }, "greedy");

  it("leave a person so many runs at once and so many stacks, and others notice nothing", async () => {
    const runs = [];
    for (const name of ["g1", "g2", "g3"]) runs.push(await greedy(name));
    await expect(greedy("g4")).rejects.toMatchObject({ status: 429, code: "STACK_TOO_MANY" });
    for (const [index, run] of runs.entries()) await hub.untilRunning(run, [`g${index + 1}`]);
    for (const run of runs) await hub.cancel(run);
    for (const run of runs) await hub.untilState(run, "cancelled");
    const fourth = await greedy("g4");
    await hub.untilRunning(fourth, ["g4"]);
    await hub.cancel(fourth);
    await hub.untilState(fourth, "cancelled");
    await expect(greedy("g5")).rejects.toMatchObject({ status: 429, code: "STACK_TOO_MANY" });
    expect((await apply({ a: set("a") })).state).toBe("running");
  });

  it("leave a person so many bytes of specs", async () => {
    const big = (name: string) => ({ resources: { [name]: set(name, east, [], "#".repeat(2_500)) } });
    await greedy("b1", big("b1"));
    await expect(greedy("b2", big("b2"))).rejects.toMatchObject({ status: 429, code: "STACK_TOO_MANY" });
    expect((await apply(big("a").resources)).state).toBe("running");
  });

  it("are read two at a time for one person, while others are answered", async () => {
    const asked = { action: "plan", resources: { a: set("a") } };
    const path = (index: number) => `/api/v1/stacks/greedy-${index}/runs`;
    const greedy = Array.from({ length: 12 }, (_, index) => hub.ask("POST", path(index), asked, "greedy"));
    expect((await apply({ a: set("a") })).state).toBe("running");
    const codesOf = (await Promise.all(greedy)).map(({ json }) => (json as { code?: string }).code);
    expect(codesOf).toContain("STACK_READERS_BUSY");
  });

  it("take so many resources in a declaration", async () => {
    const names = Array.from({ length: 101 }, (_, index) => `r${index}`);
    const resources = Object.fromEntries(names.map((name) => [name, set(name)]));
    await expect(apply(resources)).rejects.toMatchObject({ status: 400, code: "STACK_REQUEST_INVALID" });
  });

  it("keep so many runs of a stack, no specs of theirs, and stacks of which nothing is left for a while", async () => {
    const one = await work(await apply({ a: set("a") }), ["a", east]);
    const two = await work(await hub.run(stack, { action: "destroy" }), ["a", east]);
    const { specs } = await harness.store.db
      .selectFrom("stack_step")
      .select(sql<number>`count(spec)`.as("specs"))
      .where("run", "in", [one.id, two.id])
      .executeTakeFirstOrThrow();
    expect(specs).toBe(0);
    await forgetStackRuns(harness.store.db, { keptMs: 3_600_000, runs: 1, runsOfOne: 999 });
    expect(await hub.see(one)).toMatchObject({ code: "STACK_RUN_NOT_FOUND" });
    expect((await hub.see(two)).state).toBe("succeeded");
    await forgetStackRuns(harness.store.db, { keptMs: 0, runs: 1, runsOfOne: 999 });
    expect(await hub.show(stack)).toMatchObject({ code: "STACK_NOT_FOUND" });
  });
});
