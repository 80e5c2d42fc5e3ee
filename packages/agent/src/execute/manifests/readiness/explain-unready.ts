// Why a workload isn't ready, by its pods and by what its controller warns of: an image that can't be pulled, a volume that
// isn't bound, a quota that is used up.
import { Fields, type KubeObject } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { groupOf } from "../object-name.ts";

export type Asking = Pick<Task<unknown>, "kube" | "signal">;

/** Undefined where nothing is known: it never fails, and asks twice at most. */
export async function explainUnready({ kube, signal }: Asking, object: KubeObject): Promise<string | undefined> {
  const { kind = "", apiVersion = "", metadata } = object;
  const { namespace } = metadata;
  if (namespace === undefined || signal.aborted) return undefined;
  const kinds = controllers.get(groupOf(apiVersion));
  const isWorkload = kinds?.has(kind) === true;
  return (isWorkload ? await byPods() : undefined) ?? (isWorkload || kind === claim ? await byWarnings() : undefined);

  async function byPods(): Promise<string | undefined> {
    const labels = new Fields(object).at("spec", "selector", "matchLabels").entries();
    const wanted = labels.map(([name, value]) => `${name}=${value.text() ?? ""}`).join(",");
    if (wanted === "") return undefined;
    for (const pod of await list("pods", { labelSelector: wanted, limit: "50" })) {
      const why = describePod(pod);
      if (why !== undefined) return `pod ${pod.at("metadata", "name").text()}: ${why}`;
    }
    return undefined;
  }

  async function byWarnings(): Promise<string | undefined> {
    const fieldSelector = `involvedObject.uid=${metadata.uid},type=Warning`;
    const events = await list("events", { fieldSelector, limit: "50" });
    const at = (event: Fields): string => event.at("lastTimestamp").text() ?? event.at("eventTime").text() ?? "";
    const newest = events.toSorted((one, other) => (at(one) < at(other) ? -1 : 1)).at(-1);
    return newest?.at("message").text();
  }

  async function list(resource: string, query: Record<string, string>): Promise<readonly Fields[]> {
    const path = `/api/v1/namespaces/${namespace}/${resource}?${new URLSearchParams(query)}`;
    const found = await kube.request<unknown>({ path, signal }).catch(() => undefined);
    return new Fields(found).at("items").list();
  }
}

/** Undefined for one that has no trouble. */
export function describePod(pod: Fields): string | undefined {
  const scheduled = pod.condition("PodScheduled");
  if (scheduled?.status === "False")
    return `no node takes it: ${scheduled.message ?? scheduled.reason ?? "unschedulable"}`;
  for (const list of ["initContainerStatuses", "containerStatuses"])
    for (const container of pod.at("status", list).list()) {
      const why = describeContainer(container);
      if (why !== undefined) return `container ${container.at("name").text()}: ${why}`;
    }
  return undefined;
}

function describeContainer(container: Fields): string | undefined {
  const reason = container.at("state", "waiting", "reason").text();
  const code =
    container.at("state", "terminated", "exitCode").number() ??
    container.at("lastState", "terminated", "exitCode").number();
  if (reason === "CrashLoopBackOff") return `it ends over and over${code === undefined ? "" : ` (exit code ${code})`}`;
  if (reason !== undefined && !usual.has(reason)) {
    const message = container.at("state", "waiting", "message").text();
    return message === undefined ? reason : `${reason}: ${message}`;
  }
  const ended = container.at("state", "terminated", "exitCode").number();
  return ended === undefined || ended === 0 ? undefined : `it ended with exit code ${ended}`;
}

const claim = "PersistentVolumeClaim";
const usual: ReadonlySet<string> = new Set(["ContainerCreating", "PodInitializing"]);
const controllers: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["apps", new Set(["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"])],
  ["batch", new Set(["Job"])],
]);
