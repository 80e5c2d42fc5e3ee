// An agent with the token of one cluster and the kubeconfig of another.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { createAgentKubeconfig, type LeasedCluster, leaseCluster, startAgent, type TestAgent } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let west: LeasedCluster;
let fleet: Fleet;
let stray: TestAgent;
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-11-"));
  [west, fleet] = await Promise.all([leaseCluster({ name: "west" }), startFleet()]);
  const tokenFile = join(folder, "token");
  await fleet.hub.cli(["cluster", "token", "create", "east", "--token-out", tokenFile]);
  const kubeconfig = await createAgentKubeconfig(west, "agent-of-east");
  stray = await startAgent({ name: "east", hubUrl: fleet.hub.agentUrl, tokenFile, kubeconfig });
});
afterAll(async () => {
  await stray?.[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
  await west?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe("11: kubectl never reaches another cluster than the one that the name means", () => {
  it("goes over the right agent alone, twelve times of twelve", async () => {
    for (let turn = 0; turn < 12; turn++) expect(await nodes()).not.toMatch(/west-node/);
  });

  it("is shown in the list and in the cluster", async () => {
    const list = await fleet.hub.cli(["cluster", "list"]);
    expect(list.stderr).toMatch(
      /^east: A different cluster answers under the name.*\n.*fairlead cluster confirm east/m,
    );
    const { stdout } = await fleet.hub.cli(["cluster", "get", "east"]);
    expect(stdout).toContain("CLUSTER_IDENTITY_MISMATCH");
    expect(stdout).toMatch(/State: +connected/);
  });

  it("tells the agent once what to do, and the agent isn't ready", async () => {
    const errors = (await readLog(stray)).filter(({ level }) => level === "error");
    expect(errors).toMatchObject([
      { code: "CLUSTER_IDENTITY_MISMATCH", hint: expect.stringMatching(/kubeconfig.*fairlead cluster confirm east/) },
    ]);
    const [started] = (await readLog(stray)).filter(({ healthUrl }) => healthUrl !== undefined);
    const ready = await fetch(`${String(started?.["healthUrl"])}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toMatch(/hub failed: A different cluster answers under the name "east"/);
  });

  it("says so to kubectl when only the other one is there", async () => {
    await fleet.joined.agent.stop();
    const failed = await fleet.kubectl(["get", "nodes"], { allowFailure: true });
    expect(failed.code).not.toBe(0);
    expect(failed.stderr).toMatch(/A different cluster answers under the name "east"/);
    expect((await fleet.hub.cli(["cluster", "list"])).stdout).toMatch(/east +other-cluster/);
  });

  it("goes to the other one as soon as that is confirmed, and no more to the one before", async () => {
    await fleet.hub.cli(["cluster", "confirm", "east", "--yes"]);
    expect(await nodes()).toMatch(/west-node/);
    await fleet.joined.agent.start();
    for (let turn = 0; turn < 3; turn++) expect(await nodes()).toMatch(/west-node/);
    const isUsed = async () => (await readLog(stray)).some(({ msg }) => msg === "the hub uses this agent now");
    expect(await waitUntil(isUsed, { timeoutMs: 40_000 })).toBe(true);
    const errors = (await readLog(fleet.joined.agent)).filter(({ level }) => level === "error");
    expect(errors).toMatchObject([{ code: "CLUSTER_IDENTITY_MISMATCH" }]);
  });
});

async function nodes(): Promise<string> {
  return (await fleet.kubectl(["get", "nodes", "-o", "name"])).stdout;
}

async function readLog({ logFile }: TestAgent): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(logFile, "utf8")).split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
