// Why a workload isn't ready, in words. Pure.
import { Fields } from "@fairlead/kernel";

/** Undefined for one that is ready as far as its status says. */
export function describeSick(workload: unknown, pods: readonly unknown[]): string | undefined {
  const fields = new Fields(workload);
  const [wanted, ready] = countsOf(fields);
  const isSettled = fields.isObserved && ready >= wanted;
  const why = pods.map((pod) => whyWaiting(new Fields(pod))).find((each) => each !== undefined);
  if (isSettled && why === undefined) return undefined;
  return `${ready} of ${wanted} pods are ready${why === undefined ? "" : `: ${why}`}`;
}

/** Pods of an older template, which go last of all, don't count as ready. */
function countsOf(fields: Fields): [wanted: number, ready: number] {
  const status = fields.at("status");
  const number = (...path: readonly string[]) => fields.at(...path).number();
  const desired = status.at("desiredNumberScheduled").number();
  if (desired !== undefined)
    return [desired, Math.min(number("status", "numberReady") ?? 0, number("status", "updatedNumberScheduled") ?? 0)];
  const [all, ready, updated] = ["replicas", "readyReplicas", "updatedReplicas"].map(
    (name) => number("status", name) ?? 0,
  );
  return [number("spec", "replicas") ?? 1, Math.max(0, (ready ?? 0) - ((all ?? 0) - (updated ?? 0)))];
}

/** Undefined for a pod that is ready, or of which nobody says why it isn't. */
function whyWaiting(pod: Fields): string | undefined {
  const name = pod.at("metadata", "name").text() ?? "";
  const scheduled = pod.condition("PodScheduled");
  if (scheduled?.status === "False")
    return `pod ${name} isn't scheduled: ${scheduled.message ?? scheduled.reason ?? ""}`;
  const containers = ["initContainerStatuses", "containerStatuses"].flatMap((list) => pod.at("status", list).list());
  for (const container of containers) {
    const waiting = container.at("state", "waiting");
    const reason = waiting.at("reason").text();
    if (reason === undefined || /^(ContainerCreating|PodInitializing)$/.test(reason)) continue;
    const message = waiting.at("message").text();
    return `pod ${name}, container ${container.at("name").text()}: ${reason}${message === undefined ? "" : ` (${message})`}`;
  }
  const ready = pod.condition("Ready");
  return ready?.status === "False" && ready.message !== undefined ? `pod ${name}: ${ready.message}` : undefined;
}
