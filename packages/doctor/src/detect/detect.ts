// Finds an addon whoever installed it: by resources that discovery names, then by workloads. Namespaces say nothing,
// since providers and mirrors rename freely. Something that could not be read is never called absent.

import { doctorErrors, type Snapshot } from "../snapshot/index.ts";
import { type Workload, workloadResources } from "../workloads/index.ts";
import type { FoundComponent, Installation, Presence } from "./installation.ts";
import { matchesComponent } from "./match.ts";
import { readProvenance } from "./provenance.ts";
import type { ComponentSignal, Signals } from "./signals.ts";
import { readVersion } from "./version.ts";

export interface DetectOptions {
  readonly signals: Signals;
  readonly snapshot: Snapshot;
  /** All that were seen, in a fixed order: reading them once serves every addon. */
  readonly workloads: readonly Workload[];
}

export function detect(options: DetectOptions): Installation {
  const { signals, snapshot, workloads } = options;
  const components = signals.components
    .map((signal) => ({ name: signal.name, workloads: workloads.filter((each) => matchesComponent(each, signal)) }))
    .filter((component) => component.workloads.length > 0);
  const main = findMain(signals.components, components);
  if (!main) return { presence: presenceWithoutWorkloads(options), components: [] };
  const version = readVersion({ ...main, snapshot });
  return {
    presence: { is: "installed" },
    components,
    provenance: readProvenance(main.workload, snapshot),
    ...(version !== undefined && { version }),
  };
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

function presenceWithoutWorkloads({ signals, snapshot }: DetectOptions): Presence {
  const manager = askProvider({ signals, snapshot });
  if (manager.is === "managed") return { is: "provider-managed", by: manager.by };
  const unseen = signals.components.length === 0 ? [] : workloadResources.filter((each) => !snapshot.isWhole(each));
  if (unseen.length > 0) return { is: "unknown", why: `not all ${unseen.join(", ")} could be read` };
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
  try {
    const by = signals.providerManaged?.(snapshot);
    return by === undefined ? { is: "unmanaged" } : { is: "managed", by };
  } catch (thrown) {
    if (doctorErrors.is(thrown, "DOCTOR_HIDDEN")) return { is: "hidden", why: thrown.message };
    throw thrown;
  }
}
