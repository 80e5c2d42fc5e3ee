import type { Fields } from "@fairlead/kube";
import { failing, pending, type Readiness, ready } from "./readiness.ts";

export function podReadiness(object: Fields): Readiness {
  switch (object.at("status", "phase").text() ?? "") {
    case "Succeeded":
      return ready;
    case "Failed":
      return failing("the pod failed");
    case "Running":
      return runningReadiness(object);
    case "Pending":
      return pendingReadiness(object);
    default:
      return pending("nothing has taken the pod yet");
  }
}

function runningReadiness(object: Fields): Readiness {
  if (object.condition("Ready")?.status === "True") return ready;
  const looping = object
    .at("status", "containerStatuses")
    .list()
    .filter((container) => container.at("state", "waiting", "reason").text() === "CrashLoopBackOff")
    .map((container) => container.at("name").text());
  if (looping.length > 0) return failing(`containers end over and over: ${looping.join(", ")}`);
  return pending("the pod runs and isn't ready yet");
}

/** A pod without a node hasn't failed: an autoscaler takes minutes to make one. */
function pendingReadiness(object: Fields): Readiness {
  const scheduled = object.condition("PodScheduled");
  if (scheduled?.status !== "False" || scheduled.reason !== "Unschedulable") return pending("the pod is starting");
  return pending(`no node takes the pod: ${scheduled.message ?? "Unschedulable"}`);
}

/** Ready once it runs: whether it completes is another question, unless it failed. */
export function jobReadiness(object: Fields): Readiness {
  if (object.condition("Complete")?.status === "True") return ready;
  const failed = object.condition("Failed");
  if (failed?.status === "True") return failing(`the job failed: ${failed.message ?? "no reason is given"}`);
  return object.at("status", "startTime").exists ? ready : pending("the job hasn't started");
}
