import type { ClusterInventory } from "@fairlead/contract";
import { expect, test } from "vitest";
import { createCli } from "../testing/cli.fixture.ts";
import { hubNow, makeCluster, startContractHub } from "../testing/hub.fixture.ts";
import { makeAge } from "../testing/objects.fixture.ts";

const kind = { apiVersion: "v1", namespaced: true, since: new Date(hubNow - 720_000).toISOString() };
const inventory: ClusterInventory = {
  age: makeAge("east"),
  kubeSystemUid: "uid-before",
  lagMs: 12_000,
  pendingChanges: 340,
  capacity: {
    nodes: 3,
    readyNodes: 2,
    pods: 61,
    runningPods: 58,
    podsAllocatable: 330,
    cpuCapacity: 12,
    cpuAllocatable: 12,
    cpuRequested: 6,
    memoryCapacity: 2 ** 35,
    memoryAllocatable: 2 ** 35,
    memoryRequested: 2 ** 33,
  },
  kinds: [
    { ...kind, kind: "pods", kindName: "Pod", state: "synced", objects: 61, ageMs: 3_000 },
    {
      ...kind,
      kind: "secrets",
      kindName: "Secret",
      state: "unavailable",
      objects: 4,
      ageMs: 720_000,
      code: "KUBE_FORBIDDEN",
      message: "No right.",
    },
  ],
};

async function signedIn(body: ClusterInventory) {
  const undo = new AsyncDisposableStack();
  const hub = undo.use(await startContractHub());
  const cli = undo.use(await createCli());
  await cli.signIn(hub);
  hub.clusters.set("east", makeCluster("east", { state: "stale", stateReason: "The agent is silent." }));
  hub.routes.set("GET /api/v1/clusters/east/inventory", () => ({ status: 200, body }));
  hub.routes.set("POST /api/v1/clusters/east/inventory/confirm", () => ({ status: 200, body: { ...body, kinds: [] } }));
  return { hub, cli, [Symbol.asyncDispose]: () => undo.disposeAsync() };
}

test("a cluster is shown with why it is so, how old its data is, what waits, and which kinds are in trouble", async () => {
  await using at = await signedIn(inventory);

  const { stdout } = await at.cli.run(["cluster", "get", "east"]);

  expect(stdout).toContain("State:       stale for 3m: The agent is silent.\n");
  expect(stdout).toContain("Objects:     65 of 2 kinds\nData:        3s\n");
  expect(stdout).toContain("Lag:         340 changes wait in the cluster, the oldest for 12s\n");
  expect(stdout).toContain(
    "Capacity:    2 of 3 nodes ready, 61 of 330 pods (58 running), CPU 50% of 12 cores, memory 25% of 32Gi\n",
  );
  expect(stdout).toContain(
    "KIND     STATE    SINCE  OBJECTS  AGE-OF-DATA  WHY\nsecrets  unknown  12m    4        12m          No right. (KUBE_FORBIDDEN)\n",
  );
  expect(stdout).not.toContain("Replaced");
  expect(JSON.parse((await at.cli.run(["cluster", "get", "east", "--json"])).stdout)).toMatchObject({
    name: "east",
    inventory,
  });
});

test("another cluster under the same name is shown, and taken on only when someone says so", async () => {
  await using at = await signedIn({ ...inventory, replacementUid: "uid-after" });

  expect((await at.cli.run(["cluster", "get", "east"])).stdout).toContain(
    "Replaced:    another cluster answers under this name (kube-system uid-after); 'fairlead cluster confirm east' takes it on\n",
  );
  expect(await at.cli.run(["cluster", "confirm", "east"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--yes"),
  });
  const declined = await at.cli.run(["cluster", "confirm", "east"], { isTTY: true, stdin: "n\n" });
  expect(declined).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("kube-system was uid-before and is uid-after."),
  });
  expect(at.hub.requests.filter(({ line }) => line.startsWith("POST"))).toEqual([]);

  const confirmed = await at.cli.run(["cluster", "confirm", "east", "--yes"]);
  expect(confirmed).toMatchObject({ code: 0, stdout: "'east' now means the cluster uid-after.\n" });
  expect(JSON.parse(at.hub.requests.at(-1)?.body ?? "")).toEqual({ kubeSystemUid: "uid-after" });
});

test("there is nothing to confirm where no other cluster answers", async () => {
  await using at = await signedIn(inventory);

  expect(await at.cli.run(["cluster", "confirm", "east", "--yes"])).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("CLI_REPLACEMENT_MISSING"),
  });
});
