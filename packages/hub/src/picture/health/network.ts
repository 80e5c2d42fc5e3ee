import type { Fields } from "@fairlead/kube";
import { assessGeneric } from "./generic.ts";
import type { Assess, Assessment } from "./types.ts";

export const networkRules: Readonly<Record<string, Assess>> = {
  Service: assessService,
  "Ingress.networking.k8s.io": assessIngress,
  "Gateway.gateway.networking.k8s.io": assessGateway,
  "HTTPRoute.gateway.networking.k8s.io": assessRoute,
  "GRPCRoute.gateway.networking.k8s.io": assessRoute,
};

function assessService(service: Fields): Assessment {
  if (service.at("spec", "type").text() !== "LoadBalancer") return { health: "Healthy" };
  return hasAddress(service) ? { health: "Healthy" } : { health: "Progressing", message: "It has no address yet." };
}

/** Many controllers never say an address; only one that is said to be coming is waited for. */
function assessIngress(ingress: Fields): Assessment {
  if (!ingress.at("status", "loadBalancer").exists)
    return { health: "Progressing", message: "No controller took it yet." };
  return hasAddress(ingress) ? { health: "Healthy" } : { health: "Progressing", message: "It has no address yet." };
}

function hasAddress(object: Fields): boolean {
  return object.at("status", "loadBalancer", "ingress").list().length > 0;
}

function assessGateway(gateway: Fields): Assessment | undefined {
  const accepted = gateway.condition("Accepted");
  if (accepted?.status === "False") return { health: "Degraded", message: accepted.message };
  const programmed = gateway.condition("Programmed");
  if (programmed?.status === "True") return { health: "Healthy" };
  if (programmed?.status === "False") return { health: "Degraded", message: programmed.message };
  return assessGeneric(gateway) ?? { health: "Progressing", message: "No controller took it yet." };
}

/** Healthy when each of its gateways took it. */
function assessRoute(route: Fields): Assessment {
  const parents = route.at("status", "parents").list();
  if (parents.length === 0) return { health: "Progressing", message: "No gateway took it yet." };
  for (const parent of parents) {
    for (const condition of parent.at("conditions").list()) {
      const type = condition.at("type").text();
      if (type !== "Accepted" && type !== "ResolvedRefs") continue;
      const status = condition.at("status").text();
      if (status === "False") return { health: "Degraded", message: condition.at("message").text() };
      if (status !== "True") return { health: "Progressing", message: condition.at("message").text() };
    }
  }
  return { health: "Healthy" };
}
