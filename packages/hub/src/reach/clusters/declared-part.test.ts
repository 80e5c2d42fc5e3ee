import { expect, it } from "vitest";
import type { Declarations, DeclaredCluster, OwnedThing } from "../../platform/declarations/index.ts";
import { createDeclaredClusters, findDifferences } from "./declared-part.ts";
import { requireFreeName } from "./reserved-names.ts";
import type { ClusterRow } from "./types.ts";

const east: DeclaredCluster = {
  file: "a.yaml",
  line: 1,
  name: "east",
  labels: { env: "prod" },
  protected: false,
  roles: ["proxy"],
  identityEpoch: 2,
};

function find(
  cluster: DeclaredCluster | undefined,
  row: Partial<ClusterRow> | undefined,
  owned: readonly OwnedThing[] = [],
) {
  const wanted: Declarations = {
    clusters: cluster ? [cluster] : [],
    roles: [],
    bindings: [],
    robots: [],
    limits: undefined,
  };
  const usual = {
    name: "east",
    labels: { env: "prod" },
    display_name: null,
    protected: false,
    roles: ["proxy"],
    epoch: 2,
  };
  const whole = { ...usual, ...row } as ClusterRow;
  return findDifferences(wanted, { rows: row ? [whole] : [], owned }).map(({ did, detail }) => `${did}: ${detail}`);
}

const declared: OwnedThing = { kind: "Cluster", name: "east", file: "a.yaml", withdrawnMs: undefined };

it("finds what is new, gone, otherwise, withdrawn and back", () => {
  expect(find(east, undefined)).toEqual(["made: it is new"]);
  expect(find(east, undefined, [declared])).toEqual(["made: it was gone"]);
  expect(find(east, {})).toEqual([]);
  expect(find(east, { labels: {}, roles: ["observe"], epoch: 1 })).toEqual([
    "changed: its labels were otherwise, its roles were observe, its identities were of epoch 1",
  ]);
  expect(find(undefined, {}, [declared])).toEqual(["withdrawn: it isn't declared any more"]);
  expect(find(undefined, {}, [{ ...declared, withdrawnMs: 1 }])).toEqual([]);
  expect(find(east, {}, [{ ...declared, withdrawnMs: 1 }])).toEqual(["changed: it is declared again"]);
});

it("finds another display name and protection than the declared ones", () => {
  expect(find(east, { protected: true, display_name: "Payments" })).toEqual([
    "changed: it was protected, it had the display name Payments",
  ]);
  const shown = { ...east, protected: true, displayName: "Payments" };
  expect(find(shown, {})).toEqual(["changed: it was not protected, it had no display name"]);
  expect(find(shown, { protected: true, display_name: "Payments" })).toEqual([]);
});

it("leaves an epoch that a revocation has raised, and clusters that were never declared", () => {
  expect(find(east, { epoch: 3 }, [declared])).toEqual([]);
  expect(find(undefined, {})).toEqual([]);
});

it("refuses a new cluster whose name means something else on the hub, and leaves one that is there", async () => {
  const put: string[] = [];
  const reconcile = (rows: readonly Partial<ClusterRow>[]) =>
    createDeclaredClusters({
      all: () => rows as ClusterRow[],
      requireFree: (name) => requireFreeName(name, { namespaces: [], isRobot: () => false }),
      put: async (clusters) => void put.push(...clusters.map(({ name }) => name)),
    }).reconcile({
      wanted: { clusters: [{ ...east, name: "default" }], roles: [], bindings: [], robots: [], limits: undefined },
      owned: [],
      digest: "",
      guard: async () => undefined,
    } as never);
  await expect(reconcile([])).rejects.toMatchObject({ code: "CLUSTER_NAME_RESERVED" });
  expect(put).toEqual([]);
  await reconcile([{ name: "default", labels: {}, roles: ["proxy"], epoch: 2 }]);
  expect(put).toEqual(["default"]);
});
