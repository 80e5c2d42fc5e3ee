import type { Fields } from "@fairlead/kube";
import type { Assess, Assessment } from "./types.ts";

export const workloadRules: Readonly<Record<string, Assess>> = {
  "Deployment.apps": assessDeployment,
  "ReplicaSet.apps": assessReplicaSet,
  "StatefulSet.apps": assessStatefulSet,
  "DaemonSet.apps": assessDaemonSet,
  ReplicationController: assessReplicaSet,
  "Job.batch": assessJob,
  "CronJob.batch": assessCronJob,
};

function assessDeployment(deployment: Fields): Assessment {
  if (deployment.at("spec", "paused").isTrue) return { health: "Suspended", message: "It is paused." };
  if (!deployment.isObserved || !deployment.at("status").exists) return notObserved;
  const progressing = deployment.condition("Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded") return { health: "Degraded", message: progressing.message };
  const failure = deployment.condition("ReplicaFailure");
  if (failure?.status === "True") return { health: "Degraded", message: failure.message };
  const wanted = deployment.at("spec", "replicas").number() ?? 1;
  const { replicas, updated, available } = readCounts(deployment);
  if (updated < wanted) return waits(`${updated} of ${wanted} replicas are updated.`);
  if (replicas > updated) return waits(`${replicas - updated} old replicas are still there.`);
  if (available < updated) return waits(`${available} of ${updated} updated replicas are available.`);
  return healthy;
}

function assessReplicaSet(set: Fields): Assessment {
  if (!set.isObserved || !set.at("status").exists) return notObserved;
  const failure = set.condition("ReplicaFailure");
  if (failure?.status === "True") return { health: "Degraded", message: failure.message };
  const wanted = set.at("spec", "replicas").number() ?? 1;
  const { available } = readCounts(set);
  return available < wanted ? waits(`${available} of ${wanted} replicas are available.`) : healthy;
}

function assessStatefulSet(set: Fields): Assessment {
  if (!set.isObserved || !set.at("status").exists) return notObserved;
  const wanted = set.at("spec", "replicas").number() ?? 1;
  const ready = set.at("status", "readyReplicas").number() ?? 0;
  if (ready < wanted) return waits(`${ready} of ${wanted} replicas are ready.`);
  if (set.at("spec", "updateStrategy", "type").text() === "OnDelete") return healthy;
  const partition = set.at("spec", "updateStrategy", "rollingUpdate", "partition").number() ?? 0;
  const { updated } = readCounts(set);
  const toUpdate = Math.max(wanted - partition, 0);
  if (partition > 0) return updated < toUpdate ? waits(`${updated} of ${toUpdate} replicas are updated.`) : healthy;
  const current = set.at("status", "currentRevision").text();
  const update = set.at("status", "updateRevision").text();
  return current !== update ? waits(`${updated} of ${wanted} replicas are updated.`) : healthy;
}

function assessDaemonSet(set: Fields): Assessment {
  if (!set.isObserved || !set.at("status").exists) return notObserved;
  const wanted = set.at("status", "desiredNumberScheduled").number() ?? 0;
  const available = set.at("status", "numberAvailable").number() ?? 0;
  if (set.at("spec", "updateStrategy", "type").text() !== "OnDelete") {
    const updated = set.at("status", "updatedNumberScheduled").number() ?? 0;
    if (updated < wanted) return waits(`${updated} of ${wanted} pods are updated.`);
  }
  return available < wanted ? waits(`${available} of ${wanted} pods are available.`) : healthy;
}

function assessJob(job: Fields): Assessment {
  const failed = job.conditions().find(({ type, status }) => status === "True" && /^Fail(ed|ureTarget)$/.test(type));
  if (failed) return { health: "Degraded", message: failed.message };
  const complete = job.condition("Complete");
  if (complete?.status === "True") return { health: "Healthy", message: complete.message };
  if (job.at("spec", "suspend").isTrue || job.condition("Suspended")?.status === "True") {
    return { health: "Suspended", message: "It is suspended." };
  }
  return { health: "Progressing" };
}

function assessCronJob(job: Fields): Assessment {
  return job.at("spec", "suspend").isTrue ? { health: "Suspended", message: "It is suspended." } : healthy;
}

function readCounts(object: Fields): { replicas: number; updated: number; available: number } {
  const count = (name: string): number => object.at("status", name).number() ?? 0;
  return { replicas: count("replicas"), updated: count("updatedReplicas"), available: count("availableReplicas") };
}

function waits(message: string): Assessment {
  return { health: "Progressing", message };
}

const healthy: Assessment = { health: "Healthy" };
const notObserved: Assessment = { health: "Progressing", message: "Its controller hasn't seen the newest change." };
