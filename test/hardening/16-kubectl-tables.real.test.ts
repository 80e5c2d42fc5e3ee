// Every kind that Kubernetes itself has, observed by default or not: its names, its columns and each of its cells are
// those of the API server. Where Kubernetes shows something in another way than before, a test below says so.
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { kubernetesVersion, startCluster, type TestCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { builtInKinds, findBuiltIn } from "../../packages/hub/src/picture/tables/index.ts";
import { compareTable } from "./tables/compare-table.ts";
import { discoverKinds } from "./tables/discover-kinds.ts";
import { podShapes } from "./tables/pods.ts";
import { createPods, putShapes } from "./tables/put-shapes.ts";
import { kindShapes } from "./tables/shapes.ts";
import { shapesOfKind } from "./tables/vary.ts";

/** The version with whose tables all shapes were compared when this line was written. */
const comparedVersion = "v1.36.3";

/** Only what this test does changes objects. */
const alone = {
  "kube-apiserver": [
    "--runtime-config=api/all=true",
    "--feature-gates=AllAlpha=true,AllBeta=true",
    "--disable-admission-plugins=ServiceAccount",
  ],
  "kube-controller-manager": ["--controllers=serviceaccount-controller"],
  kwok: ["--manage-all-nodes=false", "--manage-nodes-with-label-selector=example.com/managed=true"],
};

let cluster: TestCluster;
let client: KubeClient;

beforeAll(async () => {
  cluster = await startCluster({ name: "columns", nodes: 0, extraArgs: alone });
  client = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
}, 300_000);

afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

describe("16: tables of built-in kinds", () => {
  test("were compared with the version of Kubernetes that the tests run", () => {
    const advice =
      "Kubernetes was updated. Compare pkg/printers/internalversion/printers.go of both versions, add shapes for what " +
      "differs to test/hardening/tables, run this file, and then change comparedVersion.";
    expect(kubernetesVersion, advice).toBe(comparedVersion);
  });

  test("every kind is known by the names that the API server gives it", async () => {
    const served = await discoverKinds(client);
    expect(served.length).toBeGreaterThan(60);
    for (const { kind, namespaced, kindName, shortNames } of served) {
      expect(findBuiltIn(kind), kind).toMatchObject({ kind, namespaced, kindName, shortNames });
    }
    const missing = builtInKinds.filter(({ kind }) => !served.some((one) => one.kind === kind));
    expect(missing.map(({ kind }) => kind)).toEqual([]);
  });

  test("pods are compared in 60 shapes, and every other kind in 20", () => {
    expect(podShapes.length).toBeGreaterThanOrEqual(60);
    const few = Object.entries(kindShapes).filter(([, shapes]) => shapes.length < shapesOfKind);
    expect(few.map(([kind]) => kind)).toEqual([]);
    // Nobody can create component statuses.
    const others = builtInKinds
      .map(({ kind }) => kind)
      .filter((kind) => kind !== "pods" && kind !== "componentstatuses");
    expect(Object.keys(kindShapes).sort()).toEqual(others.sort());
  });

  test("pods in all their states have kubectl's columns and cells", async () => {
    await createPods(cluster, podShapes);
    const { ours, theirs, names, differences } = await compareTable(client, "pods");
    expect(ours).toEqual(theirs);
    expect(differences).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(podShapes.map(({ metadata }) => metadata.name)));
  });

  test("every other kind has kubectl's columns and cells", { timeout: 300_000 }, async () => {
    for (const { kind, resource } of builtInKinds) {
      if (kind === "pods") continue;
      const shapes = kindShapes[kind] ?? [];
      const put = await putShapes(cluster, kind, shapes);
      const { ours, theirs, names, differences } = await compareTable(client, kind);
      expect.soft(ours, kind).toEqual(theirs);
      expect.soft(differences, resource).toEqual([]);
      expect.soft(names, kind).toEqual(expect.arrayContaining(put));
    }
  });
});
