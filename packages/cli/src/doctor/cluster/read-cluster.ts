// Reads of a cluster what an examination looks at, and nothing else. Reading goes in rounds: what was seen says what is
// needed next, such as a ConfigMap whose name stands in an argument.
import {
  type ConfigMapName,
  type ConfigMapSighting,
  resourcesNeeded,
  type Sighting,
  type Snapshot,
  type SnapshotParts,
} from "@fairlead/doctor";
import { Slots } from "@fairlead/kernel";
import { type ApiResource, type ClusterAccess, resourceKey } from "@fairlead/kube";
import { openKubeClient } from "../../cluster-client/index.ts";
import type { RequestTrace } from "../../trace/index.ts";
import { askWhoIAm } from "./ask-who-i-am.ts";
import { discoverServed, type Served } from "./discover-served.ts";
import { Reader } from "./reader.ts";
import { Refusals, rightsMissing } from "./rights-missing.ts";

export interface ReadClusterOptions<Examined> {
  readonly access: ClusterAccess;
  /** Called after each round of reading, to learn what it looks at; mustn't fail for what isn't read yet. */
  readonly examine: (snapshot: Snapshot) => Examined;
  /** Where to list what may not be listed in all namespaces. */
  readonly namespaces: readonly string[];
  /** Aborted when the time for reading is over: the rest is hidden then. */
  readonly lateness: AbortSignal;
  readonly signal: AbortSignal;
  readonly trace?: RequestTrace | undefined;
  readonly mostObjects?: number;
}

export interface ClusterReading<Examined> {
  /** The result of `examine` for all that was read. */
  readonly examined: Examined;
  /** Manifests that let this identity read what it was refused; none when nothing was. */
  readonly rightsMissing: readonly object[];
  readonly read: { readonly objects: number; readonly resources: readonly string[] };
}

export async function readCluster<Examined>(options: ReadClusterOptions<Examined>): Promise<ClusterReading<Examined>> {
  const { access, examine, namespaces, lateness, signal, trace, mostObjects = 250_000 } = options;
  await using client = openKubeClient({ access, trace });
  const deadline = AbortSignal.any([signal, lateness]);
  const served = await discoverServed({ client, signal, deadline });
  const refusals = new Refusals();
  const reader = new Reader({ client, namespaces, signal, deadline, refusals, mostObjects });
  const sightings = new Map<string, Sighting>();
  const configMaps = new Map<string, ConfigMapSighting>();

  for (let round = 1; ; round++) {
    const needed = resourcesNeeded({ parts: partsOf(served, sightings, configMaps), examine });
    const newResources = needed.resources.flatMap((name) =>
      sightings.has(name) ? [] : (served.resources.get(name) ?? []),
    );
    const newMaps = needed.configMaps.filter(({ namespace, name }) => !configMaps.has(`${namespace}/${name}`));
    if (newResources.length + newMaps.length === 0 || round > mostRounds) {
      const who = refusals.isEmpty ? undefined : await askWhoIAm(client, deadline);
      return {
        examined: needed.examined,
        rightsMissing: rightsMissing(refusals, who),
        read: { objects: reader.objectCount, resources: namesOf(sightings, configMaps) },
      };
    }
    await readAll({ reader, newResources, newMaps, sightings, configMaps });
  }
}

/** Resources that discovery names are served, whether something has looked at them or not. */
function partsOf(
  served: Served,
  sightings: ReadonlyMap<string, Sighting>,
  configMaps: ReadonlyMap<string, ConfigMapSighting>,
): SnapshotParts {
  const unread = new Set([...served.resources.keys()].filter((name) => !sightings.has(name)));
  return { sightings, configMaps, unread, ...(served.undiscovered && { undiscovered: served.undiscovered }) };
}

function namesOf(
  sightings: ReadonlyMap<string, Sighting>,
  configMaps: ReadonlyMap<string, ConfigMapSighting>,
): string[] {
  const seen = [...sightings].filter(([, { is }]) => is === "seen").map(([name]) => name);
  const maps = [...configMaps.values()].some(({ is }) => is === "seen") ? ["configmaps"] : [];
  return [...seen, ...maps].sort();
}

interface Round {
  readonly reader: Reader;
  readonly newResources: readonly ApiResource[];
  readonly newMaps: readonly ConfigMapName[];
  readonly sightings: Map<string, Sighting>;
  readonly configMaps: Map<string, ConfigMapSighting>;
}

async function readAll({ reader, newResources, newMaps, sightings, configMaps }: Round): Promise<void> {
  const slots = new Slots(concurrentRequests);
  await Promise.all([
    ...newResources.map(async (resource) => {
      const leave = await slots.enter();
      try {
        sightings.set(resourceKey(resource), await reader.list(resource));
      } finally {
        leave();
      }
    }),
    ...newMaps.map(async ({ namespace, name }) => {
      const leave = await slots.enter();
      try {
        configMaps.set(`${namespace}/${name}`, await reader.getConfigMap(namespace, name));
      } finally {
        leave();
      }
    }),
  ]);
}

/** Three are usual: workloads, what their addon keeps, the ConfigMaps that those name. */
const mostRounds = 8;
const concurrentRequests = 6;
