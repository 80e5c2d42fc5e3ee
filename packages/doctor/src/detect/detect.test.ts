import { expect, test } from "vitest";
import { type ClusterObject, Snapshot, type SnapshotParts, snapshotOfObjects } from "../snapshot/index.ts";
import { deployment } from "../testing/deployment.fixture.ts";
import { definitionOf } from "../testing/examine-addon.fixture.ts";
import { readWorkloads } from "../workloads/index.ts";
import { detect } from "./detect.ts";
import type { Signals } from "./signals.ts";
import { WorkloadIndex } from "./workload-index.ts";

const signals: Signals = {
  resources: ["things.example.com"],
  components: [
    {
      name: "server",
      isEssential: true,
      images: ["example/thing"],
      labels: { "app.kubernetes.io/component": ["server"] },
    },
    { name: "worker", isEssential: false, images: ["example/thing"], names: [/-worker$/] },
  ],
};

const server = deployment({
  name: "renamed",
  image: "mirror.local:5000/a/b/example/thing:v1.2.3",
  component: "server",
});
const worker = deployment({ name: "my-worker", image: "example/thing:v1.2.3" });

test("an addon is found by its image's last parts and its part, whatever host, namespace and name it has", () => {
  const { presence, components, version } = detectAmong([worker, server]);
  expect(presence).toEqual({ is: "installed" });
  expect(components.map(({ name, workloads }) => [name, ...workloads.map(({ ref }) => ref.name)])).toEqual([
    ["server", "renamed"],
    ["worker", "my-worker"],
  ]);
  expect(version).toBe("1.2.3");
});

test.each([
  ["an image whose name only ends alike", deployment({ name: "a", image: "example/nothing:v1", component: "server" })],
  ["another image of the same name elsewhere", deployment({ name: "a", image: "other/thing:v1", component: "server" })],
  ["the image in a part that nobody asked for", deployment({ name: "a", image: "example/thing:v1", component: "cli" })],
])("%s isn't it", (_name, object) => {
  expect(detectAmong([object]).presence).toEqual({ is: "absent" });
});

test("definitions that nothing serves are a residue", () => {
  expect(detectAmong([definitionOf("things.example.com", "Thing")]).presence).toEqual({ is: "crds-only" });
});

test("definitions of the same group that another addon brought say nothing", () => {
  expect(detectAmong([definitionOf("others.example.com", "Thing")]).presence).toEqual({ is: "absent" });
});

test("where nothing runs and a provider says so, it is the provider's", () => {
  const presence = detectAmong([], { ...signals, providerManaged: () => "GKE" }).presence;
  expect(presence).toEqual({ is: "provider-managed", by: "GKE" });
});

test.each<[string, Partial<SnapshotParts> & { readonly workloads: "seen" | "hidden" | "some" }, RegExp]>([
  ["workloads are forbidden", { workloads: "hidden" }, /not all statefulsets.apps could be read/],
  ["workloads of some namespaces were read", { workloads: "some" }, /not all statefulsets.apps could be read/],
  [
    "discovery failed for its group",
    { workloads: "seen", undiscovered: { groups: ["example.com"], why: "timed out" } },
    /whether there are things.example.com/,
  ],
])("%s: it is unknown, not absent", (_name, { workloads, ...parts }, why) => {
  const { presence } = detect({ signals, snapshot: snapshotWith(workloads, parts), workloads: new WorkloadIndex([]) });
  expect(presence).toMatchObject({ is: "unknown", why: expect.stringMatching(why) });
});

test.each<[string, (snapshot: Snapshot) => boolean]>([
  [
    "a resource of the provider's, which discovery didn't tell of",
    (snapshot) => snapshot.isServed("a.gone.com") === "yes",
  ],
  ["an object of the provider's, which may be hidden", (snapshot) => snapshot.listSeen("daemonsets.apps").length > 0],
])("where a provider would show by %s, it is unknown", (_name, isThere) => {
  const managed: Signals = {
    resources: [],
    components: [],
    providerManaged: (snapshot) => (isThere(snapshot) ? "GKE" : undefined),
  };
  const snapshot = new Snapshot({
    sightings: new Map([["daemonsets.apps", { is: "hidden", why: "forbidden" }]]),
    configMaps: new Map(),
    undiscovered: { groups: ["gone.com"], why: "timed out" },
  });
  const { presence } = detect({ signals: managed, snapshot, workloads: new WorkloadIndex([]) });
  expect(presence).toMatchObject({ is: "unknown", why: expect.stringMatching(/timed out|forbidden/) });
});

test("where only a part of the workloads could be read, it is found, and says that there may be more", () => {
  const snapshot = snapshotOfObjects({
    objects: [server],
    isComplete: true,
    hidden: new Map([["daemonsets.apps", ""]]),
  });
  expect(detect({ signals, snapshot, workloads: new WorkloadIndex(readWorkloads(snapshot)) })).toMatchObject({
    presence: { is: "installed" },
    unseen: "not all daemonsets.apps could be read",
  });
});

function detectAmong(objects: readonly ClusterObject[], of: Signals = signals) {
  const snapshot = snapshotOfObjects({ objects, isComplete: true });
  return detect({ signals: of, snapshot, workloads: new WorkloadIndex(readWorkloads(snapshot)) });
}

function snapshotWith(workloads: "seen" | "hidden" | "some", parts: Partial<SnapshotParts>): Snapshot {
  const none = { is: "seen", objects: [] } as const;
  const sighting = {
    seen: none,
    hidden: { is: "hidden", why: "forbidden" } as const,
    some: { ...none, namespaces: ["shop"] },
  }[workloads];
  const sightings = new Map([
    ["deployments.apps", none],
    ["statefulsets.apps", sighting],
    ["daemonsets.apps", none],
  ]);
  return new Snapshot({ sightings, configMaps: new Map(), ...parts });
}
