// Finds an addon whoever installed it: by resources that discovery names, then by workloads. Namespaces say nothing,
// since providers and mirrors rename freely. Something that could not be read is never called absent.
import { Fields } from "@fairlead/kernel";
import { type ClusterObject, doctorErrors, formatRef, isPlanned, refTo, type Snapshot } from "../snapshot/index.ts";
import { type Workload, workloadResources } from "../workloads/index.ts";
import { chartOf } from "./chart-label.ts";
import type { FoundComponent, Installation, MadeComponent, Presence } from "./installation.ts";
import { matchesComponent } from "./match.ts";
import { readProvenance } from "./provenance.ts";
import type { ComponentSignal, Signals } from "./signals.ts";
import { readVersion, versionOfDefinitions } from "./version.ts";
import type { WorkloadIndex } from "./workload-index.ts";

export interface DetectOptions {
  readonly signals: Signals;
  readonly snapshot: Snapshot;
  /** All workloads that were seen, in a fixed order. They are read once for all addons. */
  readonly workloads: WorkloadIndex;
}

export function detect(options: DetectOptions): Installation {
  const { signals, snapshot, workloads } = options;
  const components = signals.components
    .map((signal) => ({ name: signal.name, workloads: findWorkloads(signal, workloads) }))
    .filter((component) => component.workloads.length > 0);
  const main = findMain(signals.components, components);
  const made = findMade(options, components);
  const unseen = findUnseen(options);
  const version = main ? readVersion({ ...main, snapshot, signals }) : versionOfDefinitions(signals, snapshot);
  const chart = main && chartOf(new Fields(main.workload.object).at("metadata", "labels"));
  return {
    presence: main ? { is: "installed" } : presenceWithoutWorkloads(options, unseen),
    components,
    ...(made.length > 0 && { made }),
    ...(version !== undefined && { version }),
    ...(chart && { chart }),
    ...(main && { provenance: readProvenance(main.workload, snapshot) }),
    ...(unseen !== undefined && { unseen }),
  };
}

function findWorkloads(signal: ComponentSignal, workloads: WorkloadIndex): Workload[] {
  return workloads.candidates(signal).filter((workload) => matchesComponent(workload, signal));
}

function findMade({ signals, snapshot }: DetectOptions, components: readonly FoundComponent[]): MadeComponent[] {
  const workloadsOf = (name: string) => components.find((component) => component.name === name)?.workloads ?? [];
  return signals.components.flatMap(({ name, madeBy }) => {
    if (madeBy === undefined || workloadsOf(name).length > 0) return [];
    const [operator] = workloadsOf(madeBy.component);
    const [object] = listSeenByName(snapshot, madeBy.resource);
    if (!operator || !object) return [];
    const isRunning = !isPlanned(object) && !isPlanned(operator.object);
    return [{ component: name, from: formatRef(refTo(madeBy.resource, object)), isRunning }];
  });
}

function listSeenByName(snapshot: Snapshot, resource: string): readonly ClusterObject[] {
  const keyOf = (object: ClusterObject) => formatRef(refTo(resource, object));
  return snapshot.listSeen(resource).toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
}

/** Why there may be more workloads of the addon than were found. */
function findUnseen({ signals, snapshot }: DetectOptions): string | undefined {
  if (signals.components.length === 0) return undefined;
  const resources = workloadResources.filter((each) => !snapshot.isWhole(each));
  return resources.length === 0 ? undefined : `not all ${resources.join(", ")} could be read`;
}

/** The first component by the order of signals says who installed the addon and which version it has. */
function findMain(
  signals: readonly ComponentSignal[],
  components: readonly FoundComponent[],
): { readonly signal: ComponentSignal; readonly workload: Workload } | undefined {
  for (const signal of signals) {
    const workload = components.find(({ name }) => name === signal.name)?.workloads[0];
    if (workload) return { signal, workload };
  }
  return undefined;
}

/** Workloads that can't be seen come first: an addon that runs in the cluster isn't the provider's. */
function presenceWithoutWorkloads({ signals, snapshot }: DetectOptions, unseen: string | undefined): Presence {
  if (unseen !== undefined) return { is: "unknown", why: unseen };
  const manager = askProvider({ signals, snapshot });
  if (manager.is === "managed") return { is: "provider-managed", by: manager.by };
  if (manager.is === "hidden") return { is: "unknown", why: manager.why };
  const served = signals.resources.map((resource) => ({ resource, answer: snapshot.isServed(resource) }));
  if (served.some(({ answer }) => answer === "yes")) return { is: "crds-only" };
  const doubtful = served.find(({ answer }) => answer === "unknown");
  if (doubtful) return { is: "unknown", why: `discovery didn't say whether there are ${doubtful.resource}` };
  return { is: "absent" };
}

function askProvider({
  signals,
  snapshot,
}: Pick<DetectOptions, "signals" | "snapshot">):
  | { readonly is: "managed"; readonly by: string }
  | { readonly is: "unmanaged" }
  | { readonly is: "hidden"; readonly why: string } {
  const doubts: string[] = [];
  try {
    const by = signals.providerManaged?.(snapshot.tellingDoubts((why) => doubts.push(why)));
    if (by !== undefined) return { is: "managed", by };
    const [why] = doubts;
    return why === undefined ? { is: "unmanaged" } : { is: "hidden", why };
  } catch (thrown) {
    if (doctorErrors.is(thrown, "DOCTOR_HIDDEN")) return { is: "hidden", why: thrown.message };
    throw thrown;
  }
}
