// Stand-ins are judged as files elsewhere. Here a real API server takes them, and its answers are judged.
import { applyStandIns, type LeasedCluster, leaseCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterCheck } from "../checks/index.ts";
import { gatewayChecks } from "../gateways/index.ts";
import { poolChecks } from "../pools/index.ts";
import type { ClusterObject } from "../snapshot/index.ts";
import { storageChecks } from "../storage/index.ts";
import { judgeChecks, notPassed } from "./judge-checks.fixture.ts";
import { threePools } from "./pool-profile.fixture.ts";

const undo = new AsyncDisposableStack();
let cluster: LeasedCluster;

beforeAll(async () => {
  cluster = undo.use(await leaseCluster({ name: "stand-ins" }));
  // Controllers would say other things of stand-ins than their addons do.
  for (const name of ["kube-controller-manager", "kube-scheduler", "kwok"] as const)
    await cluster.components[name].stop();
});
afterAll(() => undo.disposeAsync());

const checks: readonly ClusterCheck[] = [...gatewayChecks, ...poolChecks, ...storageChecks];

test("gateways, pools and storage classes that a real API server serves are fit", async () => {
  await applyStandIns(cluster.api, ["istio/chart", "pools/karpenter-aws", "storage/eks"]);
  const profile = { ...threePools, baseDomains: ["*.apps.example.com"] };
  const objects = await readObjects();
  expect(objects.length).toBeGreaterThan(15);
  const verdicts = judgeChecks(checks, objects, { profile, clusterType: "eks" });
  expect(notPassed(verdicts)).toEqual({});
  expect(verdicts.size).toBeGreaterThan(15);
});

test.each([
  "istio/upstream",
  "istio/provider-aks",
  "istio/ambient",
  "gateway-api/upstream",
  "ingress/chart-traefik",
  "ingress/chart-nginx",
  "ingress/chart-alb",
  "pools/eks-managed",
  "pools/gke",
  "pools/aks",
  "pools/openshift",
  "pools/oke",
  "pools/generic",
  "storage/eks-auto-mode",
  "storage/gke",
  "storage/aks",
  "storage/openshift",
  "storage/oke",
  "storage/generic",
])("a real API server takes %s as well", async (path) => {
  await expect(applyStandIns(cluster.api, [path])).resolves.toBeUndefined();
});

const paths: readonly string[] = [
  "/api/v1/nodes",
  "/api/v1/persistentvolumeclaims",
  "/api/v1/pods",
  "/api/v1/services",
  "/apis/apps/v1/deployments",
  "/apis/karpenter.sh/v1/nodepools",
  "/apis/networking.istio.io/v1/gateways",
  "/apis/storage.k8s.io/v1/csidrivers",
  "/apis/storage.k8s.io/v1/storageclasses",
];

async function readObjects(): Promise<ClusterObject[]> {
  const lists = await Promise.all(paths.map((path) => cluster.api.json({ path })));
  return (lists as { apiVersion: string; kind: string; items: ClusterObject[] }[]).flatMap(
    // Items of a list don't repeat what they are.
    ({ apiVersion, kind, items }) => items.map((item) => ({ apiVersion, kind: kind.replace(/List$/, ""), ...item })),
  );
}
