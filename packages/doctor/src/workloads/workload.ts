import { Fields } from "@fairlead/kernel";
import { type ClusterObject, formatRef, type ObjectRef, refTo, type Snapshot } from "../snapshot/index.ts";

/** A Deployment, StatefulSet or DaemonSet, read once for detection and checks. */
export interface Workload {
  readonly ref: ObjectRef;
  readonly object: ClusterObject;
  readonly containers: readonly Container[];
  readonly ready: number;
  readonly desired: number;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  /** `command` and `args` one after the other. */
  readonly args: readonly string[];
  readonly env: readonly Fields[];
  /** For evidence: `spec.template.spec.containers[1]`. */
  readonly path: string;
}

export const workloadResources = ["deployments.apps", "statefulsets.apps", "daemonsets.apps"] as const;

/** Those that were seen, by name; `Snapshot.isWhole` says whether others may exist. */
export function readWorkloads(snapshot: Snapshot): Workload[] {
  return workloadResources
    .flatMap((resource) => snapshot.listSeen(resource).map((object) => readWorkload(resource, object)))
    .toSorted(({ ref: one }, { ref: other }) => (formatRef(one) < formatRef(other) ? -1 : 1));
}

export interface ContainerOfWorkload {
  readonly workload: Workload;
  readonly container: Container;
}

export function containersOf(workloads: readonly Workload[]): ContainerOfWorkload[] {
  return workloads.flatMap((workload) => workload.containers.map((container) => ({ workload, container })));
}

function readWorkload(resource: string, object: ClusterObject): Workload {
  const fields = new Fields(object);
  const status = fields.at("status");
  const isDaemonSet = resource === "daemonsets.apps";
  return {
    ref: refTo(resource, object),
    object,
    containers: fields
      .at("spec", "template", "spec", "containers")
      .list()
      .map((container, index) => readContainer(container, `spec.template.spec.containers[${index}]`)),
    ready: status.at(isDaemonSet ? "numberReady" : "readyReplicas").number() ?? 0,
    desired: isDaemonSet
      ? (status.at("desiredNumberScheduled").number() ?? 0)
      : (fields.at("spec", "replicas").number() ?? 1),
  };
}

function readContainer(container: Fields, path: string): Container {
  const words = [...container.at("command").list(), ...container.at("args").list()];
  return {
    name: container.at("name").text() ?? "",
    image: container.at("image").text() ?? "",
    args: words.map((word) => word.scalar() ?? ""),
    env: container.at("env").list(),
    path,
  };
}
