import { Fields } from "@fairlead/kernel";
import { type ClusterCheck, type Fix, fail, few, listNames, pass, safe } from "../../checks/index.ts";
import type { ClusterObject, Evidence, Snapshot } from "../../snapshot/index.ts";
import { domainsOf } from "../domains.ts";
import type { Gateway } from "../gateway.ts";
import { readAllGateways } from "../read-gateways.ts";

export const baseDomainsCovered: ClusterCheck = {
  id: "gateways.base-domains",
  title: "A gateway serves each base domain",
  why: "Services get their hosts or paths below the profile's base domains. A domain that no gateway listens for answers nothing. Where a cluster has Ingress classes and no gateways, each service brings its own Ingress, and nothing need be there before.",
  severity: "required",
  features: ["ingress"],
  appliesTo: ({ profile }) => profile.baseDomains.length > 0,
  judge: ({ snapshot, profile: { baseDomains } }) => {
    const gateways = readAllGateways(snapshot);
    const shared = gateways.filter(({ kind }) => kind !== "ingress");
    const covered = new Set(domainsOf(shared, { baseDomains }).map(({ host }) => host));
    const missing = baseDomains.filter((domain) => !covered.has(domain));
    if (missing.length === 0) return pass(`Gateways serve ${baseDomains.join(", ")}.`);
    const [ingressClass] = snapshot.list("ingressclasses.networking.k8s.io");
    if (shared.length === 0 && ingressClass) {
      return pass(`Each service brings its own Ingress, of the class ${ingressClass.metadata.name} for example.`);
    }
    const [first] = shared;
    return fail(
      `No gateway serves ${missing.join(", ")}.`,
      few(shared).map((gateway) => evidenceOf(gateway, missing)),
      first && fixOf(first, missing, snapshot),
    );
  },
};

function evidenceOf({ object, kind, listeners }: Gateway, missing: readonly string[]): Evidence {
  return {
    object,
    path: kind === "istio" ? "spec.servers[*].hosts" : "spec.listeners[*].hostname",
    observed: listNames(listeners.map(({ host }) => host)) || "no host",
    expected: missing.join(", "),
  };
}

function fixOf({ kind, object, listeners }: Gateway, domains: readonly string[], snapshot: Snapshot): Fix | undefined {
  const found = snapshot
    .listSeen(object.resource)
    .find(({ metadata }) => metadata.name === object.name && metadata.namespace === object.namespace);
  if (!found || listeners.length === 0) return undefined;
  const patch = kind === "istio" ? addHosts(found, domains) : addListeners(found, domains);
  return { is: "patch", risk: safe, object, type: "json", patch };
}

/** To each server of the Gateway: plain and secure requests are told apart by servers. */
function addHosts(gateway: ClusterObject, domains: readonly string[]): object[] {
  const servers = new Fields(gateway).at("spec", "servers").list();
  return servers.flatMap((_, index) =>
    domains.map((domain) => ({ op: "add", path: `/spec/servers/${index}/hosts/-`, value: domain })),
  );
}

/** Copies of the Gateway's own listeners, with the certificates these have. */
function addListeners(gateway: ClusterObject, domains: readonly string[]): object[] {
  const listeners = new Fields(gateway).at("spec", "listeners").list();
  return listeners.flatMap((listener) =>
    domains.map((domain, index) => ({
      op: "add",
      path: "/spec/listeners/-",
      value: {
        ...Object.fromEntries(listener.entries().map(([key, value]) => [key, value.raw])),
        name: `${listener.at("name").text() ?? "listener"}-base-${index}`,
        hostname: domain,
      },
    })),
  );
}
