// Agent and hub are killed while objects change: what one of them forgets the other still has, and comparing finds out.
import { cp, rename, rm } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { configMap, create, doInParallel, patch, pathOf, pod, remove } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";

let fleet: ObserveFleet;
let round = 0;
beforeAll(async () => {
  fleet = await startObserveFleet();
});
afterAll(() => fleet?.[Symbol.asyncDispose]());
beforeEach(async () => {
  round++;
  await doInParallel(names("old"), (name) => create(fleet.cluster, maps(), configMap(name, { a: "1" })));
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
});

test("an agent that is killed finds out what changed and what went while it was gone", async () => {
  const { agent } = fleet.joined;
  await agent.stop("KILL");
  await change();
  const held = await fleet.list({ kind: "configmaps", namespace: fleet.namespace.name });
  expect(held.map(({ name }) => name)).toContain(names("old")[0]);
  await agent.start();
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
});

test("a hub that is killed while it stores goes on from what it had stored", async () => {
  const changing = change();
  await fleet.hub.stop("KILL");
  await changing;
  await fleet.hub.start();
  // Before its agent is back it answers with what it had, and says how old that is.
  expect((await fleet.inventory()).kinds.map(({ kind }) => kind)).toContain("configmaps");
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
});

test("hub and agent that are killed at once come back to the truth", async () => {
  const { hub, joined } = fleet;
  const changing = change();
  await Promise.all([hub.stop("KILL"), joined.agent.stop("KILL")]);
  await changing;
  await Promise.all([hub.start(), joined.agent.start()]);
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
});

test("a hub that is restored from a backup of its own catches up with all that it had already known", async () => {
  const { hub } = fleet;
  const backup = `${hub.dataDir}-backup`;
  await hub.stop("TERM");
  await cp(hub.dataDir, backup, { recursive: true });
  await hub.start();
  await change();
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
  await hub.stop("KILL");
  await rm(hub.dataDir, { recursive: true });
  await rename(backup, hub.dataDir);
  await hub.start();
  await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
});

async function change(): Promise<void> {
  const { cluster, namespace } = fleet;
  const old = names("old");
  await doInParallel(old.slice(0, 40), (name) => remove(cluster, `${maps()}/${name}`));
  await doInParallel(old.slice(40, 80), (name) => patch(cluster, `${maps()}/${name}`, { data: { b: "2" } }));
  await doInParallel(names("new"), (name) => create(cluster, maps(), configMap(name)));
  await create(cluster, pathOf("pods", namespace.name), pod(`round-${round}`));
}

function maps(): string {
  return pathOf("configmaps", fleet.namespace.name);
}

function names(prefix: string): string[] {
  return Array.from({ length: 100 }, (_, index) => `${prefix}-${round}-${index}`);
}
