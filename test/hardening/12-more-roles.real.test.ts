// A cluster that was added for kubectl, and is to be seen as well: the README's step 6 after its steps 3 to 5.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { startAgent, type TestAgent } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let agent: TestAgent;

beforeAll(async () => {
  fleet = await startFleet();
  const { hub, joined, agentKubeconfig: kubeconfig } = fleet;
  const { stateDir } = joined.agent;
  await joined.agent.stop();
  agent = await startAgent({
    name: "east",
    hubUrl: hub.agentUrl,
    tokenFile: join(stateDir, "token"),
    kubeconfig,
    stateDir,
    args: ["--roles", "proxy,observe"],
  });
});
afterAll(async () => {
  await agent?.[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
});

describe("12: an agent gets more roles by a token that gives them", () => {
  it("runs the roles that it has, and says once what to type for the others", async () => {
    expect(await pods()).toBe("");
    const isSaid = async () => (await errors()).length > 0;
    expect(await waitUntil(isSaid, { timeoutMs: 20_000 })).toBe(true);
    expect(await errors()).toMatchObject([
      {
        code: "IDENTITY_ROLES_MISSING",
        hint: expect.stringContaining(
          "`fairlead cluster token create east --role proxy --role observe --token-out FILE`",
        ),
      },
    ]);
    expect((await list())[0]).toMatchObject({ identityRoles: ["proxy"], linkedRoles: ["proxy"] });
  });

  it("is named the command by `cluster add`, too", async () => {
    const again = await fleet.hub.cli(["cluster", "add", "east", "--role", "proxy"], { allowFailure: true });
    expect(again.stderr).toMatch(/CLUSTER_EXISTS[\s\S]*fairlead cluster token create east --role proxy --role observe/);
  });

  it("keeps its identity when the token is of another cluster", async () => {
    await fleet.hub.cli([
      "cluster",
      "add",
      "north",
      "--role",
      "proxy",
      "--role",
      "observe",
      "--token-out",
      join(agent.stateDir, "token"),
    ]);
    const isSaid = async () => (await errors()).some(({ code }) => code === "ENROLL_TOKEN_OTHER_CLUSTER");
    expect(await waitUntil(isSaid, { timeoutMs: 30_000 })).toBe(true);
    expect(await pods()).toBe("");
    expect(await list()).toMatchObject([{ name: "east", linkedRoles: ["proxy"] }, { name: "north" }]);
  });

  it("enrolls again by itself, and cuts nothing", async () => {
    const watch = fleet.kubectl(["get", "configmaps", "-w", "-o", "name", "--request-timeout=45s"], {
      allowFailure: true,
    });
    await fleet.hub.cli([
      "cluster",
      "token",
      "create",
      "east",
      "--role",
      "proxy",
      "--role",
      "observe",
      "--token-out",
      join(agent.stateDir, "token"),
    ]);
    const isSeen = async () => ((await list())[0]?.linkedRoles ?? []).includes("observe");
    expect(await waitUntil(isSeen, { timeoutMs: 60_000, intervalMs: 250 })).toBe(true);
    expect((await list())[0]).toMatchObject({ identityRoles: ["observe", "proxy"], linkedRoles: ["observe", "proxy"] });
    await fleet.kubectl(["create", "configmap", "behind-the-new-link"]);
    const hasCopy = async () =>
      (await requestHub(fleet.hub, "/api/v1/objects?kind=namespaces&limit=500")).text.includes(fleet.namespace.name);
    expect(await waitUntil(hasCopy, { timeoutMs: 60_000, intervalMs: 250 })).toBe(true);
    expect((await watch).stdout).toContain("configmap/behind-the-new-link");
  });
});

async function pods(): Promise<string> {
  return (await fleet.kubectl(["get", "pods", "-o", "name"])).stdout;
}

interface ListedCluster {
  readonly name: string;
  readonly identityRoles?: readonly string[];
  readonly linkedRoles?: readonly string[];
}

async function list(): Promise<ListedCluster[]> {
  return ((await requestHub(fleet.hub, "/api/v1/clusters")).json() as { items: ListedCluster[] }).items;
}

/** The errors of the agent with both roles; it writes behind the log of the one before. */
async function errors(): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(agent.logFile, "utf8")).split("\n").filter((line) => line.startsWith("{"));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ level }) => level === "error");
}
