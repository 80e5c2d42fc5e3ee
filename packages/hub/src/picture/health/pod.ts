import type { Fields } from "@fairlead/kube";
import type { Assess, Assessment } from "./types.ts";

export const podRules: Readonly<Record<string, Assess>> = { Pod: assessPod };

function assessPod(pod: Fields): Assessment {
  const phase = pod.at("status", "phase").text() ?? "";
  const message = pod.at("status", "message").text() ?? pod.at("status", "reason").text();
  const broken = findBroken(pod);
  switch (phase) {
    case "Succeeded":
      return { health: "Healthy", message };
    case "Failed":
      return { health: "Degraded", message: message ?? broken ?? "It failed." };
    case "Running":
      return assessRunning(pod, broken);
    case "Pending": {
      if (broken !== undefined) return { health: "Degraded", message: broken };
      const scheduled = pod.condition("PodScheduled");
      return {
        health: "Progressing",
        message: message ?? (scheduled?.status === "False" ? scheduled.message : undefined),
      };
    }
    default:
      return { health: "Unknown", message: message ?? "Its phase isn't known." };
  }
}

function assessRunning(pod: Fields, broken: string | undefined): Assessment {
  const restartPolicy = pod.at("spec", "restartPolicy").text() ?? "Always";
  if (broken !== undefined) return { health: "Degraded", message: broken };
  // A pod that is meant to end is on its way there; being ready says nothing about it.
  if (restartPolicy !== "Always") return { health: "Progressing" };
  const ready = pod.condition("Ready");
  if (ready?.status === "True") return { health: "Healthy" };
  const restarted = pod
    .at("status", "containerStatuses")
    .list()
    .some((container) => container.at("lastState", "terminated").exists);
  return { health: restarted ? "Degraded" : "Progressing", message: ready?.message };
}

/** A container that waits for a reason which doesn't go away by waiting. */
function findBroken(pod: Fields): string | undefined {
  const containers = [
    ...pod.at("status", "initContainerStatuses").list(),
    ...pod.at("status", "containerStatuses").list(),
  ];
  for (const container of containers) {
    const reason = container.at("state", "waiting", "reason").text();
    if (reason === undefined || !isBroken(reason)) continue;
    const name = container.at("name").text() ?? "container";
    const message = container.at("state", "waiting", "message").text();
    return `${name}: ${reason}${message === undefined ? "" : `: ${message}`}`;
  }
  return undefined;
}

function isBroken(reason: string): boolean {
  return (
    reason.startsWith("Err") || reason.endsWith("Error") || reason.endsWith("BackOff") || reason === "InvalidImageName"
  );
}
