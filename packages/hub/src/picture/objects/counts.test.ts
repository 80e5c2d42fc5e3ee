// Rollups are read from counts where those answer: what they say is what looking at the objects says.
import type { RollupQuery } from "@fairlead/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { caller, nowMs, type ObjectsHarness, setObjectsHarness } from "./objects-harness.fixture.ts";

let harness: ObjectsHarness;
const clusters = ["east", "west"];
const callers = [
  caller("everything", { clusters }),
  caller("easterner", { clusters: ["east"] }),
  caller("shopper", { clusters, namespaces: ["shop"] }),
];

beforeAll(async () => {
  harness = await setObjectsHarness();
  for (const [at, cluster] of clusters.entries()) {
    for (const namespace of ["shop", "data", "pods"]) {
      const ready = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
      await harness.add(cluster, "pods", { name: "a", namespace, labels: { app: "a" }, ...ready });
      const gone = await harness.add(cluster, "pods", { name: "b", namespace, ...ready });
      if (at === 0) await harness.change(gone, { deletedAt: new Date(nowMs) });
      await harness.add(cluster, "pods", { name: "c", namespace, status: { phase: "Failed" } });
      await harness.add(cluster, "events", { name: "a.1", namespace });
    }
    const left = await harness.add(cluster, "pods", { name: "d", namespace: "left", status: { phase: "Failed" } });
    await harness.change(left, { deletedAt: new Date(nowMs) });
    await harness.add(cluster, "nodes", {
      name: "node-0",
      status: { conditions: [{ type: "Ready", status: "True" }] },
    });
  }
}, 60_000);

afterAll(() => harness?.[Symbol.asyncDispose]());

test.each(callers)("a rollup for $name from counts is one of the objects", async (principal) => {
  let rollups = 0;
  for (const asked of listQueries()) {
    const counted = await harness.objects.count(asked, { principal, nowMs });
    // Every object has the empty text somewhere, and no count has.
    const looked = await harness.objects.count({ ...asked, search: "" }, { principal, nowMs });
    expect(counted, JSON.stringify(asked)).toEqual(looked);
    rollups += counted.items.length;
  }
  expect(rollups).toBeGreaterThan(100);
});

test.each(callers)("$name sees only what is theirs counted", async (principal) => {
  const { items } = await harness.objects.count({ by: "cluster,namespace", kind: "pods" }, { principal, nowMs });
  const seen = items.map(({ cluster, namespace, objects }) => `${cluster}/${namespace} ${objects}`);
  const of = (cluster: string, namespaces: readonly string[], objects: number): string[] =>
    namespaces.map((namespace) => `${cluster}/${namespace} ${objects}`);
  const all = ["data", "pods", "shop"];
  expect(seen).toEqual(
    {
      everything: [...of("east", all, 2), ...of("west", all, 3)],
      easterner: of("east", all, 2),
      shopper: [...of("east", ["shop"], 2), ...of("west", ["shop"], 3)],
    }[principal.name],
  );
});

function listQueries(): RollupQuery[] {
  const bys = ["kind", "cluster", "namespace", "cluster,kind", "kind,namespace"] as const;
  return bys.flatMap((by) =>
    [undefined, "pods", "pods,nodes"].flatMap((kind) =>
      [undefined, "shop", "shop,data"].flatMap((namespace) =>
        [undefined, "Degraded"].map((health) => ({
          by,
          ...(kind !== undefined && { kind }),
          ...(namespace !== undefined && { namespace }),
          ...(health !== undefined && { health }),
        })),
      ),
    ),
  );
}
