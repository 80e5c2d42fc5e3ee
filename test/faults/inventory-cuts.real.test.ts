// Networks and processes fail at any moment of the sync: while kinds are listed, compared, sent, or followed live.
// After each cut the hub has what the API server has, object for object.
import fc from "fast-check";
import { afterAll, beforeAll, test } from "vitest";
import { configMap, create, doInParallel, patch, pathOf, pod, remove, widget } from "../fleet/change-objects.ts";
import { compareWithApiServer } from "../fleet/compare-with-api-server.ts";
import { cutAfter } from "../fleet/cut-after.ts";
import { type ObserveFleet, startObserveFleet } from "../fleet/observe-fleet.ts";

let fleet: ObserveFleet;
let maps: string;
beforeAll(async () => {
  fleet = await startObserveFleet();
  maps = pathOf("configmaps", fleet.namespace.name);
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

type Change =
  | {
      readonly what: "maps";
      readonly from: number;
      readonly count: number;
      readonly how: "create" | "patch" | "remove";
    }
  | { readonly what: "widget" | "pod"; readonly name: number; readonly how: "create" | "remove" };
type Fault =
  | { readonly fault: "cut" | "blackhole" | "api-cut"; readonly afterBytes: number; readonly forMs: number }
  | { readonly fault: "kill-agent" | "kill-hub"; readonly afterBytes: number; readonly forMs: number };

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant("maps" as const),
      from: fc.nat(400),
      count: fc.integer({ min: 1, max: 150 }),
      how: fc.constantFrom("create", "create", "patch", "remove"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      what: fc.constantFrom("widget", "pod"),
      name: fc.nat(5),
      how: fc.constantFrom("create", "remove"),
    }),
  },
);
const fault: fc.Arbitrary<Fault> = fc.record({
  fault: fc.constantFrom("cut", "blackhole", "api-cut", "kill-agent", "kill-hub"),
  /** Bytes that the agent sends: a session's beginning takes some 10 KB, a list of changed objects some hundred. */
  afterBytes: fc.oneof(fc.nat(4_000), fc.nat(20_000), fc.nat(200_000)),
  forMs: fc.nat(600),
});
const script = fc.array(fc.record({ changes: fc.array(change, { minLength: 1, maxLength: 3 }), fault }), {
  minLength: 2,
  maxLength: 4,
});

test("after any cuts at any moments and any changes the hub has what the API server has", {
  timeout: 300_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(script, async (steps) => {
      for (const { changes, fault: each } of steps) {
        await Promise.all([meet(each), ...changes.map(make)]);
      }
      fleet.joined.cable.heal();
      await compareWithApiServer(fleet, { namespace: fleet.namespace.name });
    }),
    { numRuns: 4, endOnFailure: true },
  );
});

async function meet({ fault: kind, afterBytes, forMs }: Fault): Promise<void> {
  const { joined, apiCable, hub } = fleet;
  switch (kind) {
    case "cut":
    case "blackhole":
      await cutAfter(joined.cable, { how: kind, afterBytes, forMs });
      return;
    case "api-cut":
      // Bytes that come: the API server says more than it is asked.
      await cutAfter(apiCable, { how: "cut", direction: "down", afterBytes, forMs });
      return;
    case "kill-agent":
      await joined.agent.stop("KILL");
      await Promise.all([joined.agent.start(), cutAfter(joined.cable, { how: "cut", afterBytes, forMs })]);
      return;
    case "kill-hub":
      await hub.stop("KILL");
      await hub.start();
      await cutAfter(joined.cable, { how: "cut", afterBytes, forMs });
  }
}

async function make(each: Change): Promise<void> {
  const { cluster, namespace, widgets } = fleet;
  if (each.what === "maps") {
    const names = Array.from({ length: each.count }, (_, index) => `map-${each.from + index}`);
    await doInParallel(names, (name) => changeMap(name, each.how), 8);
    return;
  }
  const path = each.what === "pod" ? pathOf("pods", namespace.name) : widgets.path(namespace.name);
  const name = `${each.what}-${each.name}`;
  const object = each.what === "pod" ? pod(name) : widget(widgets.apiVersion, name, { at: Date.now() });
  await (each.how === "create" ? create(cluster, path, object) : remove(cluster, `${path}/${name}`));
}

function changeMap(name: string, how: "create" | "patch" | "remove"): Promise<void> {
  const { cluster } = fleet;
  if (how === "create") return create(cluster, maps, configMap(name, { a: "x".repeat(200) }));
  if (how === "patch") return patch(cluster, `${maps}/${name}`, { data: { a: String(Date.now()) } });
  return remove(cluster, `${maps}/${name}`);
}
