// Describes the places of a cluster for its objects: the gateways before services, and the node pools under pods.
import type { Gateway, NodePool } from "@fairlead/doctor";
import { boundText } from "./bound.ts";
import type { ExaminedWith } from "./examined-with.ts";
import type { OwnContent } from "./own-object.ts";

/** Named by its id, such as `istio/istio-system/public`, with dots: names have no slashes. */
export function describeGateway(gateway: Gateway, examinedWith: ExaminedWith): OwnContent {
  const { id, kind, object, chosenFor, className, listeners, backend, programmed } = gateway;
  return {
    name: id.replaceAll("/", "."),
    spec: {
      id,
      kind,
      object,
      ...(className !== undefined && { className }),
      ...(chosenFor.length > 0 && { chosenFor: chosenFor.slice(0, maxListed).map((key) => boundText(key)) }),
      listeners: listeners.slice(0, maxListed),
    },
    status: {
      hosts: [...new Set(listeners.map(({ host }) => host))].slice(0, maxListed),
      addresses: backend.addresses.slice(0, maxListed),
      services: backend.services.slice(0, maxListed),
      hasPods: backend.hasPods,
      isWaitingForAddress: backend.isWaitingForAddress,
      ...(programmed && { programmed: { ...programmed, message: boundText(programmed.message) } }),
      examinedWith,
    },
  };
}

export function describeNodePool(pool: NodePool, examinedWith: ExaminedWith): OwnContent {
  const { name, source, object, purpose, nodes, runs, trouble, requested, ...traits } = pool;
  const { labels, requirements, taints, ...rest } = traits;
  return {
    name: boundText(name, 253),
    labels: { "fairlead.dev/purpose": purpose },
    spec: {
      source,
      purpose,
      ...(object && { object }),
      labels: Object.fromEntries(Object.entries(labels).slice(0, maxListed)),
      requirements: requirements.slice(0, maxListed),
      taints: taints.slice(0, maxListed),
    },
    status: {
      nodes: nodes.length,
      readyNodes: nodes.filter(({ isReady }) => isReady).length,
      ...rest,
      ...(requested && { requested }),
      runs: runs.slice(0, maxListed),
      ...(trouble !== undefined && { trouble: boundText(trouble) }),
      examinedWith,
    },
  };
}

const maxListed = 50;
