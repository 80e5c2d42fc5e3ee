import type { Fields } from "@fairlead/kube";
import { failing, firstLack, pending, type Readiness, ready } from "./readiness.ts";

export function serviceReadiness(object: Fields): Readiness {
  const isBalanced = object.at("spec", "type").text() === "LoadBalancer";
  return firstLack([[isBalanced && !object.at("spec", "clusterIP").text(), "it has no address in the cluster"]]);
}

export function namespaceReadiness(object: Fields): Readiness {
  return firstLack([[object.at("status", "phase").text() !== "Active", "it isn't active yet"]]);
}

export function claimReadiness(object: Fields): Readiness {
  const phase = object.at("status", "phase").text() ?? "unknown";
  if (phase === "Lost") return failing("the volume that was bound to it is gone");
  const storageClass = object.at("spec", "storageClassName").text();
  const named = object.at("spec", "volumeName").text();
  const why = named
    ? `the volume ${named} isn't bound to it yet`
    : storageClass
      ? `no volume of the storage class ${storageClass} is bound to it`
      : "no volume is bound to it, and it has no storage class that could make one";
  return firstLack([[phase !== "Bound", `${why} (${phase})`]]);
}

export function definitionReadiness(object: Fields): Readiness {
  const names = object.condition("NamesAccepted");
  if (names?.status === "False") return failing(names.message ?? "its names aren't accepted");
  const established = object.condition("Established");
  if (established?.status === "True") return ready;
  if (established?.status === "False" && established.reason !== "Installing")
    return failing(established.message ?? "it isn't established");
  return pending("it is being installed");
}

export function apiServiceReadiness(object: Fields): Readiness {
  const available = object.condition("Available");
  return available?.status === "True" ? ready : pending(available?.message ?? "it isn't available yet");
}
