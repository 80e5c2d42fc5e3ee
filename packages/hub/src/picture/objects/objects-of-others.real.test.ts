// A cluster's agent reports objects that no API server would have. What others ask of the hub is answered all the same.
import type { ClusterInventory, ObjectList } from "@fairlead/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestHub, type TestHub } from "../../hub.fixture.ts";
import { ask, reportKinds } from "../../report.fixture.ts";

let harness: TestHub;
const boundless = { cpu: "1e305", memory: "1e308", pods: "1e308" };
const node = { kind: "Node", resource: "nodes", namespaced: false };
const pods = { kind: "Pod", resource: "pods" };

beforeAll(async () => {
  harness = await openTestHub();
  const capacity = { cpu: "4", memory: "8Gi", pods: "110" };
  await reportKinds(harness, "honest", [
    { ...node, objects: [{ name: "node-0", status: { capacity, allocatable: capacity } }] },
    { ...pods, objects: [{ name: "web", namespace: "shop", status: { phase: "Running" } }] },
  ]);
  const nodes = ["a", "b", "c"].map((name) => ({ name, status: { capacity: boundless, allocatable: boundless } }));
  const requests = { containers: [{ resources: { requests: boundless } }] };
  await reportKinds(harness, "greedy", [
    { ...node, objects: nodes },
    {
      ...pods,
      objects: [
        ...[400, 2_000, 4_000, 4_300].map((levels) => ({
          name: `deep-${levels}`,
          namespace: "shop",
          spec: nest(levels),
        })),
        ...["a", "b"].map((name) => ({ name, namespace: "shop", spec: requests, status: { phase: `Evil-${name}` } })),
      ],
    },
  ]);
}, 300_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

describe("objects of one cluster", () => {
  test("that are nested too deeply to be written are without their content, and break no answer over all", async () => {
    const { status, json } = await ask(harness, "/api/v1/objects?kind=pods&include=object");
    const { items } = json as ObjectList;

    expect(status).toBe(200);
    expect(items.map(({ cluster, name }) => `${cluster}/${name}`).sort()).toEqual(
      ["a", "b", "deep-2000", "deep-400", "deep-4000", "deep-4300"]
        .map((name) => `greedy/${name}`)
        .concat("honest/web"),
    );
    expect(items.find(({ name }) => name === "deep-4300")?.object).toMatchObject({
      metadata: { name: "deep-4300", annotations: expect.anything() },
    });
  });

  test("with amounts beyond all numbers leave the sums of other clusters as they are", async () => {
    const { status, json } = await ask(harness, "/api/v1/inventories");
    const { items } = json as { items: ClusterInventory[] };

    expect(status).toBe(200);
    expect(items.map(({ age, capacity }) => [age.cluster, capacity?.nodes])).toEqual([
      ["greedy", 3],
      ["honest", 1],
    ]);
    expect(items[1]?.capacity).toMatchObject({ cpuCapacity: 4, memoryCapacity: 8 * 2 ** 30, runningPods: 1 });
  });
});

function nest(levels: number): unknown {
  let value: unknown = 1;
  for (let left = levels; left > 0; left--) value = { a: value };
  return value;
}
