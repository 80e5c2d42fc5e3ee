import type { ClusterObject } from "../../snapshot/index.ts";
import { testGolden } from "../../testing/golden-cases.fixture.ts";
import { awsLoadBalancerController } from "./aws-load-balancer-controller.ts";

const id = "aws-load-balancer-controller";
const of = `${id}/chart`;
const args = "spec/template/spec/containers/0/args";
const address = "status/loadBalancer/ingress";
const service = (creationTimestamp: string, spec: object = {}): ClusterObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { namespace: "apps", name: "second", creationTimestamp },
  spec: { type: "LoadBalancer", ...spec },
});
const longAgo = "2025-06-01T00:00:00Z";

testGolden(awsLoadBalancerController, {
  clusterType: "eks",
  shapes: [
    { of, version: "2.16.0", provenance: "helm" },
    { of: `${id}/provider-eks-auto-mode`, version: undefined, provenance: undefined },
  ],
  cases: [
    {
      title: "one replica is no two",
      of,
      edit: (objects) => objects.map((each) => (each.kind === "Deployment" ? withReplicas(each, 1) : each)),
      verdicts: { [`${id}.two-replicas`]: "warn" },
      state: "healthy",
    },
    {
      title: "it doesn't know its cluster's name",
      of,
      change: ["Deployment", id, args, ["--ingress-class=alb"]],
      verdicts: { [`${id}.cluster-name`]: "fail" },
      state: "misconfigured",
    },
    {
      title: "the name stands in an item of its own",
      of,
      change: ["Deployment", id, args, ["--cluster-name", "east"]],
    },
    {
      title: "the only Service got no address",
      of,
      change: ["Service", "tfy-istio-ingress", address, undefined],
      verdicts: { [`${id}.addresses`]: "fail" },
      state: "misconfigured",
    },
    {
      title: "a second Service got no address",
      of,
      edit: (objects) => [...objects, service(longAgo)],
      verdicts: { [`${id}.addresses`]: "warn" },
      state: "healthy",
    },
    {
      title: "a Service of a minute ago is waited for",
      of,
      edit: (objects) => [...objects, service("2025-12-31T23:59:00Z")],
    },
    {
      title: "a Service of another class is another controller's",
      of,
      edit: (objects) => [...objects, service(longAgo, { loadBalancerClass: "example.com/metal" })],
    },
    {
      title: "no ingress class is its own",
      of,
      change: ["IngressClass", "alb", "spec/controller", "k8s.io/ingress-nginx"],
      verdicts: { [`${id}.ingress-class`]: "fail" },
      state: "healthy",
    },
    {
      title: "its service account names no role",
      of,
      change: ["ServiceAccount", id, "metadata/annotations", undefined],
      verdicts: { [`${id}.identity`]: "warn" },
    },
  ],
});

function withReplicas(object: ClusterObject, replicas: number): ClusterObject {
  return {
    ...object,
    spec: { ...(object["spec"] as object), replicas },
    status: { replicas, readyReplicas: replicas },
  };
}
