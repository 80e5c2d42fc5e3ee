import type { Fields } from "@fairlead/kube";
import { failing, firstLack, pending, type Readiness } from "./readiness.ts";

export function deploymentReadiness(object: Fields): Readiness {
  const progressing = object.condition("Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded")
    return failing(progressing.message ?? "it made no progress within its deadline");
  const status = object.at("status");
  const count = (name: string): number => status.at(name).number() ?? 0;
  const wanted = object.at("spec", "replicas").number() ?? 1;
  const [total, updated, available] = [count("replicas"), count("updatedReplicas"), count("availableReplicas")];
  // Without a deadline the controller writes no condition about progress.
  const deadlineSeconds = object.at("spec", "progressDeadlineSeconds").number() ?? noDeadline;
  const hasProgressed = progressing?.status === "True" && progressing.reason === "NewReplicaSetAvailable";
  const lack = firstLack([
    [wanted > total, `${total} of ${wanted} replicas are there`],
    [wanted > updated, `${updated} of ${wanted} replicas are updated`],
    [total > wanted, `${total - wanted} old replicas are still there`],
    [updated > available, `${available} of ${updated} replicas are available`],
    [wanted > count("readyReplicas"), `${count("readyReplicas")} of ${wanted} replicas are ready`],
    [deadlineSeconds !== noDeadline && !hasProgressed, "its ReplicaSet isn't available"],
    [object.condition("Available")?.status !== "True", "its condition Available isn't True"],
  ]);
  // A quota is used up, or something else refuses its pods: that is why.
  const refusal = object.condition("ReplicaFailure");
  if (lack.type === "ready" || refusal?.status !== "True") return lack;
  return pending(`its pods can't be created: ${refusal.message ?? "no reason is given"}`);
}

/** The API server's way to say none. */
const noDeadline = 2 ** 31 - 1;
