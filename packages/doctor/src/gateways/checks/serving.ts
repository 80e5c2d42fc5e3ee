import { Fields } from "@fairlead/kernel";
import { type ClusterCheck, destructive, type Fix, fail, few, listNames, pass, warn } from "../../checks/index.ts";
import { type ClusterObject, isPlanned, needRunning, type Snapshot } from "../../snapshot/index.ts";
import { readWorkloads, workloadResources } from "../../workloads/index.ts";
import type { Gateway } from "../gateway.ts";
import { gatewayApiGateways } from "../gateway-api-gateways.ts";
import { readAllGateways } from "../read-gateways.ts";

export const programmed: ClusterCheck = {
  id: "gateways.programmed",
  title: "Each Gateway is programmed",
  why: "The condition Programmed says that the controller has taken the Gateway over into the proxies. Until then no request is served.",
  severity: "recommended",
  features: ["ingress"],
  judge: ({ snapshot }) => {
    const gateways = readAllGateways(snapshot).filter(({ kind }) => kind === "gateway-api");
    const open = gateways.filter((gateway) => gateway.programmed?.isTrue !== true);
    const waiting = open.filter(({ isPlanned: isOnlyPlanned }) => !isOnlyPlanned);
    if (waiting.length === 0) needRunning(gatewayApiGateways, plannedOf(open, snapshot.listSeen(gatewayApiGateways)));
    if (waiting.length === 0) return pass("Each Gateway of the Gateway API is programmed.");
    return fail(
      `Not programmed: ${idsOf(waiting)}.`,
      few(waiting).map((gateway) => ({
        object: gateway.object,
        path: "status.conditions[Programmed]",
        observed: gateway.programmed?.message ?? "absent",
        expected: "True",
      })),
    );
  },
};

export const selectorMatches: ClusterCheck = {
  id: "gateways.selector",
  title: "Pods stand behind each Istio Gateway",
  why: "An Istio Gateway configures the pods that its selector matches, and nothing when it matches none: its hosts then answer nothing. The usual cause is another release name of the ingress gateway's chart, whose pods carry that name in the label `istio`.",
  severity: "recommended",
  features: ["ingress"],
  judge: ({ snapshot }) => {
    const lost = readAllGateways(snapshot).filter(({ backend }) => backend.selector && !backend.hasPods);
    if (lost.length === 0) return pass("Pods stand behind each Istio Gateway.");
    for (const resource of ["pods", ...workloadResources]) snapshot.needAll(resource);
    const [first] = lost;
    return fail(
      `No pods stand behind ${idsOf(lost)}.`,
      few(lost).map(({ object, backend }) => ({
        object,
        path: "spec.selector",
        observed: `${JSON.stringify(backend.selector)} matches no pod`,
        expected: "the labels of an ingress gateway's pods",
      })),
      first && selectorFix(first, snapshot),
    );
  },
};

export const hasAddress: ClusterCheck = {
  id: "gateways.address",
  title: "Load balancers of gateways have an address",
  why: "A Service of type LoadBalancer without an address is waiting for the cloud's controller, or for MetalLB: nobody outside reaches the gateway.",
  severity: "recommended",
  features: ["ingress"],
  judge: ({ snapshot }) => {
    const gateways = readAllGateways(snapshot);
    if (gateways.some(({ kind }) => kind !== "ingress")) for (const each of behindGateways) snapshot.needAll(each);
    const services = snapshot.listSeen("services");
    const isOnlyPlanned = ({ backend }: Gateway) =>
      backend.services.every(({ namespace, name }) =>
        services.some((each) => isNamed(each, namespace, name) && isPlanned(each)),
      );
    const open = gateways.filter(({ backend }) => backend.isWaitingForAddress);
    const waiting = open.filter((gateway) => !isOnlyPlanned(gateway));
    if (waiting.length === 0 && open.length > 0) needRunning("services", services.filter(isBalanced));
    if (waiting.length === 0) return pass("No gateway waits for the address of its load balancer.");
    return warn(
      `Still without an address: ${idsOf(waiting)}.`,
      few(waiting).flatMap(({ backend }) =>
        backend.services.map((object) => ({
          object,
          path: "status.loadBalancer.ingress",
          observed: "none",
          expected: "a host name or an IP address",
        })),
      ),
    );
  },
};

function isNamed({ metadata }: ClusterObject, namespace: string | undefined, name: string): boolean {
  return metadata.namespace === namespace && metadata.name === name;
}

function plannedOf(gateways: readonly Gateway[], objects: readonly ClusterObject[]): ClusterObject[] {
  return objects.filter((object) =>
    gateways.some(({ object: { namespace, name } }) => isNamed(object, namespace, name)),
  );
}

function isBalanced(service: ClusterObject): boolean {
  return new Fields(service).at("spec", "type").text() === "LoadBalancer";
}

/** Services are found by the pods that they are in front of. */
const behindGateways: readonly string[] = ["services", "pods", ...workloadResources];

const idsOf = (gateways: readonly Gateway[]): string => listNames(gateways.map(({ id }) => id));

/** The only ingress gateway of the cluster must be the one that was meant. */
function selectorFix({ object }: Gateway, snapshot: Snapshot): Fix | undefined {
  const labels = readWorkloads(snapshot)
    .filter(({ containers }) => containers.some(({ name }) => name === "istio-proxy"))
    .flatMap(
      (workload) => new Fields(workload.object).at("spec", "template", "metadata", "labels", "istio").text() ?? [],
    );
  const [only, second] = new Set(labels);
  if (only === undefined || second !== undefined) return undefined;
  // A merge patch would keep the selector's other labels.
  return {
    is: "patch",
    risk: destructive("The ingress gateway then serves the hosts of this Gateway, to everybody who reaches it."),
    object,
    type: "json",
    patch: [{ op: "replace", path: "/spec/selector", value: { istio: only } }],
  };
}
