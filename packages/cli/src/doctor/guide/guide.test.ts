// The recipes of docs/guides/doctor.md, from the shell to the verdicts.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  allChecks,
  builtInResources,
  type ClusterObject,
  examineCluster,
  fairlead,
  resourceOf,
  type Snapshot,
  snapshotOfObjects,
} from "@fairlead/doctor";
import { readStandIn } from "@fairlead/testkit/stand-ins";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readDump } from "../dump/index.ts";
import { localService, ofEveryCluster, readRecipe, runRecipe, storeObjects } from "./recipes.fixture.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-guide-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const standIns = [
  "argocd/upstream",
  "prometheus/chart",
  "istio/upstream",
  "keda/chart",
  "cert-manager/chart",
  "metrics-server/chart",
  "kube-state-metrics/chart",
  "aws-ebs-csi-driver/chart",
  "aws-load-balancer-controller/chart",
  "storage/eks",
  "pools/eks-managed",
];

/** A cluster that has them, as its API server would answer. */
function makeCluster(): { readonly objects: ClusterObject[]; readonly resources: string[] } {
  const objects = standIns.flatMap((path) => readStandIn<ClusterObject>(path));
  const definitions = objects.filter(({ kind }) => kind === "CustomResourceDefinition");
  const groups = definitions.map(({ metadata: { name } }) => name.slice(name.indexOf(".") + 1));
  const services = ["apps", ...groups].map((group) => localService(group, "v1"));
  const unique = new Map(
    [...ofEveryCluster, ...services, ...objects].map((object) => [
      `${resourceOf(object)}/${object.metadata.namespace ?? ""}/${object.metadata.name}`,
      object,
    ]),
  );
  const stored = storeObjects([...unique.values()]);
  const defined = definitions.map(({ metadata }) => metadata.name);
  return { objects: stored, resources: [...new Set([...builtInResources, ...defined, ...stored.map(resourceOf)])] };
}

function judge(snapshot: Snapshot): Record<string, string> {
  const report = examineCluster({ snapshot, profile: fairlead, now: new Date("2026-01-01T01:00:00Z") });
  const addons = report.addons.map(({ id, state }) => [id, state]);
  const features = report.features.map(({ feature, state }) => [`feature ${feature}`, state]);
  return Object.fromEntries([
    ...addons,
    ...allChecks(report).map(({ check, verdict }) => [check.id, `${verdict.is}: ${verdict.message}`]),
    ...features,
  ]);
}

const read = (path: string, isComplete: boolean) =>
  readDump({ folder: path, isComplete, signal: new AbortController().signal });

test("a dump made as the guide says answers what the live cluster answers, with --complete and without", async () => {
  const { objects, resources } = makeCluster();
  const live = judge(snapshotOfObjects({ objects, isComplete: true }));
  expect(Object.keys(live).length).toBeGreaterThan(100);
  const dump = await runRecipe({ recipe: await readRecipe("From files"), folder, objects, resources });
  expect(judge((await read(dump, false)).snapshot)).toEqual(live);
  expect(judge((await read(dump, true)).snapshot)).toEqual(live);
});

test("a required check that fails in the cluster fails in its dump, and one that wasn't dumped is unknown, not passed", async () => {
  const { objects, resources } = makeCluster();
  const broken = objects.filter(({ kind, metadata }) => kind !== "ConfigMap" || metadata.namespace !== "argocd");
  const check = "argocd.application-namespaces";
  const live = judge(snapshotOfObjects({ objects: broken, isComplete: true }));
  const dump = await runRecipe({ recipe: await readRecipe("From files"), folder, objects: broken, resources });
  expect(judge((await read(dump, false)).snapshot)[check]).toBe(live[check]);
  for (const each of ["configmaps", "appprojects.argoproj.io"]) await rm(join(dump, `${each}.json`));
  const partly = judge((await read(dump, true)).snapshot);
  expect(partly[check]).toMatch(/^unknown/);
});

test.each([
  ["kube-prometheus", { prometheus: "unknown", "metrics-server": "unknown", "kube-state-metrics": "unknown" }],
  ["kops", { "aws-ebs-csi-driver": "unknown", "metrics-server": "unknown" }],
  ["kubeflow", { istio: "unknown", "istio-ingress": "unknown", notebooks: "unknown" }],
])(
  "rendered files like those of %s aren't called broken for what only a running cluster could say",
  async (name, states) => {
    const path = join(import.meta.dirname, "../../../../doctor/rendered", name);
    const { snapshot } = await read(path, true);
    const report = examineCluster({
      snapshot,
      profile: fairlead,
      clusterType: "eks",
      now: new Date("2026-01-01T00:00:00Z"),
    });
    const found = report.addons.filter(({ id }) => id in states);
    expect(Object.fromEntries(found.map(({ id, state }) => [id, state]))).toEqual(states);
    for (const { id, isNotRunning, message } of found)
      expect([id, isNotRunning, message]).toMatchObject([id, true, /Not running: /]);
    const failed = [...found.flatMap(({ checks }) => checks), ...report.checks].filter(
      ({ verdict }) => verdict.is === "fail",
    );
    expect(failed.map(({ check }) => check.id)).toEqual(rightlyFailed[name] ?? []);
    const verdicts = new Map(
      [...found.flatMap(({ checks }) => checks), ...report.checks].map(({ check, verdict }) => [check.id, verdict.is]),
    );
    for (const [id, verdict] of Object.entries(wanted[name] ?? {}))
      expect([id, verdicts.get(id)]).toEqual([id, verdict]);
  },
);

/** Settings, which rendered files hold, are judged as ever. */
const rightlyFailed: Readonly<Record<string, readonly string[]>> = {
  "kube-prometheus": ["storage.default-class", "storage.rwx"],
  kops: ["storage.rwx"],
  kubeflow: ["storage.default-class", "storage.rwx"],
};

const wanted: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "kube-prometheus": {
    "prometheus.available": "unknown",
    "prometheus.endpoint": "unknown",
    "prometheus.retention": "pass",
    "prometheus.monitors-selected": "pass",
    "metrics-server.api-service": "unknown",
  },
  kops: { "aws-ebs-csi-driver.identity": "pass", "aws-ebs-csi-driver.csi-driver": "pass" },
  kubeflow: { "gateways.selector": "pass", "gateways.address": "unknown", "istio.validation-webhook": "unknown" },
};
