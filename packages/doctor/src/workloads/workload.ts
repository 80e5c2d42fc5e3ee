import { Fields } from "@fairlead/kernel";
import {
  type ClusterObject,
  formatRef,
  isPlanned,
  needRunning,
  type ObjectRef,
  oncePerSighting,
  oncePerSnapshot,
  readTextMap,
  refTo,
  type Snapshot,
} from "../snapshot/index.ts";

/** A Deployment, StatefulSet or DaemonSet, read once for detection and checks. */
export interface Workload {
  readonly ref: ObjectRef;
  readonly object: ClusterObject;
  readonly containers: readonly Container[];
  readonly podLabels: Readonly<Record<string, string>>;
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

/**
 * As `runningOf`, of workloads.
 * @throws {FairleadError} `DOCTOR_NOT_RUNNING`
 */
export function runningWorkloads<Some extends { readonly object: ClusterObject; readonly ref: ObjectRef }>(
  troubled: readonly Some[],
): readonly Some[] {
  const running = troubled.filter(({ object }) => !isPlanned(object));
  if (running.length === 0) for (const { ref, object } of troubled) needRunning(ref.resource, [object]);
  return running;
}

export const workloadResources = ["deployments.apps", "statefulsets.apps", "daemonsets.apps"] as const;

/** Those that were seen, by name; `Snapshot.isWhole` says whether others may exist. */
export const readWorkloads: (snapshot: Snapshot) => readonly Workload[] = oncePerSnapshot((snapshot) =>
  // In the order of the resources' names, as the whole is by resource and name.
  workloadResources.toSorted().flatMap((resource) => readersOf[resource](snapshot)),
);

const readersOf = {
  "deployments.apps": readerOf("deployments.apps"),
  "statefulsets.apps": readerOf("statefulsets.apps"),
  "daemonsets.apps": readerOf("daemonsets.apps"),
};

function readerOf(resource: (typeof workloadResources)[number]): (snapshot: Snapshot) => readonly Workload[] {
  const known = new WeakMap<ClusterObject, Workload>();
  return oncePerSighting(resource, (objects) =>
    Array.from(objects, (object) => {
      // A new sighting has mostly the same objects as the one before, of which there may be thousands.
      const workload = known.get(object) ?? readWorkload(resource, object);
      known.set(object, workload);
      return { workload, key: formatRef(workload.ref) };
    })
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ workload }) => workload),
  );
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
    podLabels: readTextMap(fields.at("spec", "template", "metadata", "labels")),
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
