import type { Fields } from "@fairlead/kube";
import { firstLack, pending, type Readiness, ready } from "./readiness.ts";

export function statefulSetReadiness(object: Fields): Readiness {
  const strategy = object.at("spec", "updateStrategy");
  // People delete its pods themselves.
  if (strategy.at("type").text() === "OnDelete") return ready;
  const status = object.at("status");
  const count = (name: string): number => status.at(name).number() ?? 0;
  const wanted = object.at("spec", "replicas").number() ?? 1;
  const [total, updated] = [count("replicas"), count("updatedReplicas")];
  const sizes = firstLack([
    [wanted > total, `${total} of ${wanted} replicas are there`],
    [wanted > count("readyReplicas"), `${count("readyReplicas")} of ${wanted} replicas are ready`],
    [total > wanted, `${total - wanted} old replicas are still there`],
  ]);
  if (sizes.type !== "ready") return sizes;
  const partition = strategy.at("rollingUpdate", "partition").number();
  if (partition !== undefined)
    return firstLack([[updated < wanted - partition, `${updated} of ${wanted - partition} replicas are updated`]]);
  const isSame = status.at("currentRevision").text() === status.at("updateRevision").text();
  return firstLack([
    [wanted > count("currentReplicas"), `${count("currentReplicas")} of ${wanted} replicas are current`],
    [!isSame, "its current revision isn't the updated one"],
  ]);
}

export function daemonSetReadiness(object: Fields): Readiness {
  const status = object.at("status");
  const wanted = status.at("desiredNumberScheduled").number();
  const isSeen = object.at("metadata", "generation").exists && status.at("observedGeneration").exists;
  if (!isSeen || wanted === undefined) return pending("its controller hasn't seen it yet");
  const count = (name: string): number => status.at(name).number() ?? 0;
  return firstLack(
    [
      ["currentNumberScheduled", "scheduled"],
      ["updatedNumberScheduled", "updated"],
      ["numberAvailable", "available"],
      ["numberReady", "ready"],
    ].map(([name = "", word]) => [wanted > count(name), `${count(name)} of ${wanted} pods are ${word}`] as const),
  );
}

export function replicaSetReadiness(object: Fields): Readiness {
  const failure = object.condition("ReplicaFailure");
  if (failure?.status === "True") return pending(failure.message ?? "its pods can't be made");
  const status = object.at("status");
  const count = (name: string): number => status.at(name).number() ?? 0;
  const wanted = object.at("spec", "replicas").number() ?? 1;
  const total = count("replicas");
  return firstLack([
    [wanted > count("fullyLabeledReplicas"), `${count("fullyLabeledReplicas")} of ${wanted} replicas are labelled`],
    [wanted > count("availableReplicas"), `${count("availableReplicas")} of ${wanted} replicas are available`],
    [wanted > count("readyReplicas"), `${count("readyReplicas")} of ${wanted} replicas are ready`],
    [total > wanted, `${total - wanted} old replicas are still there`],
  ]);
}
