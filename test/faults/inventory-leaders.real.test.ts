// Several agents of one cluster: one of them speaks for it at a time, whatever the others believe.
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { findLogLines, startAgent, startHub, type TestAgent, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configMap, create, pathOf } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";

let hub: TestHub;
beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub?.[Symbol.asyncDispose]());

const leads = "this agent leads in its cluster";

test("when the leading agent freezes or dies the one that stands by goes on for it", { timeout: 300_000 }, async () => {
  const args = ["--observe-lease", "observers"];
  await using fleet = await startObserveFleet({ hub, name: "pair", agentArgs: args });
  const first = fleet.joined.agent;
  await expectLine(first, leads);
  await using second = await startSecondAgent(fleet, args);
  await change(fleet, "with-both");
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
  expect(await findLogLines(second.logFile, leads)).toEqual([]);

  first.process.signal("STOP");
  await change(fleet, "while-the-first-is-frozen");
  await expectLine(second, leads);
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
  first.process.signal("CONT");
  await expectLine(first, "this agent stands by");
  await change(fleet, "with-both-again");
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });

  await second.stop("KILL");
  await change(fleet, "without-the-second");
  await waitUntil(async () => (await findLogLines(first.logFile, leads)).length === 2, { timeoutMs: 90_000 });
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
});

test("of two agents that both believe to lead the hub hears the later one, and refuses the other", async () => {
  await using fleet = await startObserveFleet({ hub, name: "rivals" });
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
  await using later = await startSecondAgent(fleet, []);
  const refused = "another agent leads this cluster's observers, says the hub";
  const line = await expectLine(fleet.joined.agent, refused);
  expect(line).toMatchObject({ code: "INVENTORY_NOT_LEADER" });
  await change(fleet, "by-the-later-one");
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
  expect((await fleet.inventory()).age.state).toBe("connected");
  expect(await findLogLines(later.logFile, refused)).toEqual([]);
});

async function startSecondAgent(fleet: ObserveFleet, args: readonly string[]): Promise<TestAgent> {
  const { joined, widgets, agentKubeconfig: kubeconfig } = fleet;
  const tokenFile = join(hub.dataDir, "..", `${joined.name}-second.token`);
  const roles = ["proxy", "observe"].flatMap((role) => ["--role", role]);
  await hub.cli(["cluster", "token", "create", joined.name, ...roles, "--token-out", tokenFile]);
  const observed = ["--roles", "proxy,observe", "--observe-include", `configmaps,${widgets.kind}`];
  const { name } = joined;
  return startAgent({ name, hubUrl: hub.agentUrl, tokenFile, kubeconfig, args: [...observed, ...args] });
}

async function change(fleet: ObserveFleet, name: string): Promise<void> {
  await create(fleet.cluster, pathOf("configmaps", fleet.namespace.name), configMap(name, { a: "1" }));
}

async function expectLine(agent: TestAgent, message: string): Promise<object | undefined> {
  await waitUntil(async () => (await findLogLines(agent.logFile, message)).length > 0, { timeoutMs: 90_000 });
  const lines = await findLogLines(agent.logFile, message);
  expect(lines, message).not.toEqual([]);
  return lines.at(-1);
}
