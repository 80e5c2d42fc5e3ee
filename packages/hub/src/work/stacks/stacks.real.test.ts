// Stacks over clusters whose agents are played here.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStacksBed, type StackHub, type StacksBed } from "./stacks-bed.fixture.ts";

let bed: StacksBed;
let hub: StackHub;
let [east, west] = ["", ""];
let stack: string;
beforeAll(async () => {
  bed = await openStacksBed();
  hub = await bed.openHub();
});
afterAll(() => bed[Symbol.asyncDispose]());
beforeEach(async () => {
  stack = `s${randomUUID().slice(0, 8)}`;
  east = `${stack}-east`;
  west = `${stack}-west`;
  for (const name of [east, west]) await hub.clusters.create({ name, roles: ["execute"] });
});

const set = (name: string, cluster = east, dependsOn?: string[], manifests = `# ${name}`) => ({
  ...{ cluster, kind: "manifests", spec: { set: name, namespace: "shop", manifests }, dependsOn },
});
const apply = (resources: object, more: object = {}) => hub.run(stack, { action: "apply", resources, ...more });
const states = ({ steps }: { steps: readonly { name: string; action: string; state: string }[] }) =>
  steps.map(({ name, action, state }) => `${action} ${name}: ${state}`);
const known = async () =>
  (await hub.show(stack)).resources.map(({ name, cluster, outcome }) => `${name} ${cluster} ${outcome}`);

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
});
