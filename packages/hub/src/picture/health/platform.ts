// The parts of a cluster itself: nodes, storage, extensions of its API.
import type { Fields } from "@fairlead/kube";
import type { Assess, Assessment } from "./types.ts";

export const platformRules: Readonly<Record<string, Assess>> = {
  Node: assessNode,
  Namespace: assessNamespace,
  PersistentVolumeClaim: assessClaim,
  PersistentVolume: assessVolume,
  "HorizontalPodAutoscaler.autoscaling": assessAutoscaler,
  "PodDisruptionBudget.policy": assessDisruptionBudget,
  "APIService.apiregistration.k8s.io": assessApiService,
  "CustomResourceDefinition.apiextensions.k8s.io": assessDefinition,
};

function assessNode(node: Fields): Assessment {
  const ready = node.condition("Ready");
  if (ready?.status !== "True") return { health: "Degraded", message: ready?.message ?? "It isn't ready." };
  const pressed = node.conditions().find(({ type, status }) => type.endsWith("Pressure") && status === "True");
  if (pressed) return { health: "Degraded", message: pressed.message };
  return node.at("spec", "unschedulable").isTrue
    ? { health: "Suspended", message: "Nothing new is scheduled on it." }
    : { health: "Healthy" };
}

function assessNamespace(namespace: Fields): Assessment {
  const phase = namespace.at("status", "phase").text();
  return phase === "Terminating" ? { health: "Progressing", message: "It is being deleted." } : { health: "Healthy" };
}

function assessClaim(claim: Fields): Assessment {
  switch (claim.at("status", "phase").text() ?? "") {
    case "Bound":
      return { health: "Healthy" };
    case "Lost":
      return { health: "Degraded", message: "Its volume is lost." };
    case "Pending":
      return { health: "Progressing", message: "It isn't bound to a volume yet." };
    default:
      return { health: "Unknown" };
  }
}

function assessVolume(volume: Fields): Assessment {
  switch (volume.at("status", "phase").text() ?? "") {
    case "Bound":
    case "Available":
    case "Released":
      return { health: "Healthy" };
    case "Failed":
      return { health: "Degraded", message: volume.at("status", "message").text() };
    case "Pending":
      return { health: "Progressing" };
    default:
      return { health: "Unknown" };
  }
}

function assessAutoscaler(autoscaler: Fields): Assessment {
  const able = autoscaler.condition("AbleToScale");
  if (able?.status === "False") return { health: "Degraded", message: able.message };
  const active = autoscaler.condition("ScalingActive");
  // Scaled to zero on purpose.
  if (active?.status === "False" && active.reason === "ScalingDisabled")
    return { health: "Suspended", message: active.message };
  if (active?.status === "False") return { health: "Degraded", message: active.message };
  if (!able && !active) return { health: "Progressing", message: "It hasn't looked at its metrics yet." };
  return { health: "Healthy" };
}

function assessDisruptionBudget(budget: Fields): Assessment {
  if (!budget.isObserved) return { health: "Progressing", message: "Its controller hasn't seen the newest change." };
  const allowed = budget.condition("DisruptionAllowed");
  if (allowed?.reason === "SyncFailed") return { health: "Degraded", message: allowed.message };
  return { health: "Healthy" };
}

function assessApiService(service: Fields): Assessment {
  const available = service.condition("Available");
  if (available?.status === "True") return { health: "Healthy" };
  if (available?.status === "False") return { health: "Degraded", message: available.message };
  return { health: "Progressing", message: "Whether it is available isn't known yet." };
}

function assessDefinition(definition: Fields): Assessment {
  const names = definition.condition("NamesAccepted");
  if (names?.status === "False") return { health: "Degraded", message: names.message };
  const nonStructural = definition.condition("NonStructuralSchema");
  if (nonStructural?.status === "True") return { health: "Degraded", message: nonStructural.message };
  const established = definition.condition("Established");
  return established?.status === "True"
    ? { health: "Healthy" }
    : { health: "Progressing", message: established?.message ?? "It isn't established yet." };
}
