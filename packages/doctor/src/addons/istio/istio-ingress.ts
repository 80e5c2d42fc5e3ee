import { Fields } from "@fairlead/kernel";
import type { Addon } from "../../catalogue/index.ts";
import {
  type Check,
  type CheckInput,
  fail,
  few,
  kubectl,
  pass,
  safe,
  script,
  type Verdict,
} from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import { type ClusterObject, isPlanned, refTo } from "../../snapshot/index.ts";
import { runningWorkloads, seenPodsOf } from "../../workloads/index.ts";
import { optionalEverywhere } from "../need.ts";

const injected: Check = {
  id: "istio-ingress.injected",
  title: "The gateway's pods got their proxy",
  why: "The chart writes the image `auto`, and Istio's webhook puts the proxy in when a pod is made. Where the webhook was away, or the namespace is not injected, the pod keeps the image `auto`, which nobody can pull.",
  severity: "required",
  features: ["ingress"],
  judge: judgeInjection,
};

/** The proxies at the edge of the mesh. */
export const istioIngress: Addon = {
  id: "istio-ingress",
  title: "Istio ingress gateway",
  need: optionalEverywhere,
  signals: {
    resources: [],
    components: [{ name: "gateway", isEssential: true, images: ["auto", "/proxyv2"], versionContainer: "istio-proxy" }],
  },
  checks: [injected],
  unlocks: ["ingress"],
  alternatives: ["gateway-api", "ingress"],
  install: {
    chart: "gateway",
    repository: "https://istio-release.storage.googleapis.com/charts",
    version: "1.30.0",
    versionRange: ">=1.24.0 <2.0.0",
    isVersionOfProgram: true,
    namespace: "istio-system",
    release: "istio-ingress",
    order: 1,
    after: ["istio"],
    values: () => ({ autoscaling: { enabled: true, minReplicas: 2, maxReplicas: 10 } }),
  },
};

function judgeInjection({ installation, snapshot }: CheckInput): Verdict {
  const gateways = workloadsOf(installation, "gateway");
  snapshot.needAll("pods");
  const bare = gateways
    .flatMap((gateway) => seenPodsOf(gateway, snapshot))
    .filter((pod) => !isPlanned(pod) && isBare(pod));
  const [first] = gateways;
  runningWorkloads(gateways);
  if (bare.length === 0 || !first) return pass("Each pod of a gateway has its proxy.");
  const { namespace = "default", name } = first.ref;
  return fail(
    bare.length === 1 ? "One pod of a gateway has no proxy." : `${bare.length} pods of gateways have no proxy.`,
    few(bare).map((pod) => ({
      object: refTo("pods", pod),
      path: "spec.containers[istio-proxy].image",
      observed: "auto",
      expected: "the image of Istio's proxy",
    })),
    {
      is: "command",
      risk: safe,
      command: script([kubectl({ verb: ["rollout", "restart"], namespace, args: [`deployment/${name}`] })]),
    },
  );
}

function isBare(pod: ClusterObject): boolean {
  const containers = new Fields(pod).at("spec", "containers").list();
  return containers.some((container) => container.at("image").text() === "auto");
}
