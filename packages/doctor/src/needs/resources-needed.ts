// Detection and checks say by looking what they need: no second list has to be kept in step with them. What they look at
// depends on what they have seen (the name of a ConfigMap stands in an argument), so that a reader asks again after each
// reading, until nothing is new.
import { type Look, Snapshot, type SnapshotParts } from "../snapshot/index.ts";

export interface Needed<Examined> {
  /** As CRDs are named, in alphabetical order. Never Secrets, and never all ConfigMaps. */
  readonly resources: readonly string[];
  /** Each to be read by its name. */
  readonly configMaps: readonly ConfigMapName[];
  /** The result of the examination. It is complete once all that is needed has been read. */
  readonly examined: Examined;
}

export interface ConfigMapName {
  readonly namespace: string;
  readonly name: string;
}

/** All that `examine` looks at in a cluster of which this much is known. */
export function resourcesNeeded<Examined>(options: {
  readonly parts: SnapshotParts;
  readonly examine: (snapshot: Snapshot) => Examined;
}): Needed<Examined> {
  const resources = new Set<string>();
  const configMaps = new Map<string, ConfigMapName>();
  const onLook = (look: Look): void => {
    if (look.at === "resource") resources.add(look.resource);
    else if (look.at === "config-map")
      configMaps.set(`${look.namespace}/${look.name}`, { namespace: look.namespace, name: look.name });
  };
  const examined = options.examine(new Snapshot({ ...options.parts, onLook }));
  return {
    resources: [...resources].filter((resource) => !neverListed.has(resource)).sort(),
    configMaps: [...configMaps.keys()].sort().flatMap((key) => configMaps.get(key) ?? []),
    examined,
  };
}

const neverListed: ReadonlySet<string> = new Set(["secrets", "configmaps"]);
