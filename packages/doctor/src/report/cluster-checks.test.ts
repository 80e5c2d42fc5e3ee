import { expect, test } from "vitest";
import type { ClusterCheck } from "../checks/index.ts";
import { gatewayChecks } from "../gateways/index.ts";
import { poolChecks } from "../pools/index.ts";
import type { ClusterObject } from "../snapshot/index.ts";
import { storageChecks } from "../storage/index.ts";
import { judgeChecks } from "../testing/judge-checks.fixture.ts";
import { threePools } from "../testing/pool-profile.fixture.ts";
import { readStandIn } from "../testing/stand-ins.fixture.ts";

const checks: readonly ClusterCheck[] = [...gatewayChecks, ...poolChecks, ...storageChecks];
const profile = { ...threePools, baseDomains: ["*.apps.example.com"] };
const clusters = [
  ["EKS with Karpenter", ["istio/chart", "pools/karpenter-aws", "storage/eks"]],
  ["EKS with node groups", ["ingress/chart-alb", "pools/eks-managed", "storage/eks"]],
  ["GKE", ["gateway-api/upstream", "pools/gke", "storage/gke"]],
  ["AKS", ["istio/provider-aks", "pools/aks", "storage/aks"]],
  ["a cluster of one's own", ["ingress/chart-nginx", "pools/generic", "storage/generic"]],
] as const;
/** The resources that these checks look at. */
const resources = [
  "configmaps",
  "csidrivers.storage.k8s.io",
  "daemonsets.apps",
  "deployments.apps",
  "gatewayclasses.gateway.networking.k8s.io",
  "gateways.gateway.networking.k8s.io",
  "gateways.networking.istio.io",
  "ingressclasses.networking.k8s.io",
  "ingresses.networking.k8s.io",
  "nodepools.karpenter.sh",
  "nodes",
  "persistentvolumeclaims",
  "pods",
  "services",
  "statefulsets.apps",
  "storageclasses.storage.k8s.io",
];
/** Without objects of such a kind some check doesn't pass. */
const kinds = [
  "CSIDriver",
  "Deployment",
  "GatewayClass",
  "IngressClass",
  "Node",
  "NodePool",
  "Pod",
  "Service",
  "StorageClass",
];

test.each(clusters)("without one of its rights a check of %s says the same or that it doesn't know", (_, paths) => {
  // Fit, and with one kind after the other missing: so that there is something that could be wrongly passed.
  const all = paths.flatMap(readStandIn);
  const sets = [all, ...kinds.map((missing) => all.filter(({ kind }) => kind !== missing))];
  for (const objects of sets) {
    const known = judgeChecks(checks, objects, { profile });
    for (const resource of resources) {
      const hidden = new Map([[resource, "forbidden"]]);
      for (const [id, verdict] of judgeChecks(checks, objects, { profile, hidden })) {
        if (verdict.is === "unknown") continue;
        expect({ resource, id, is: verdict.is }).toEqual({ resource, id, is: known.get(id)?.is });
      }
    }
  }
});

test.each(clusters)("the order of objects changes nothing for %s", (_, paths) => {
  const objects: readonly ClusterObject[] = paths.flatMap(readStandIn);
  const known = judgeChecks(checks, objects, { profile });
  expect(known.size).toBeGreaterThan(15);
  expect(judgeChecks(checks, objects.toReversed(), { profile })).toEqual(known);
});

test("ids are told apart, and name the room of their check", () => {
  const ids = checks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^(gateways|pools|storage)\.[a-z0-9-]+$/);
});
