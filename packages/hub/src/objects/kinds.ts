// Which kinds a name means: `pods`, `pod`, `po`, `Pod`, `pods.v1`, `deployments.apps`, `Deployment.apps`.
import type { KindInfo } from "../inventory/index.ts";
import { kindUnknown } from "./errors.ts";

/** Kinds by their keys, as the clusters of a request have them. */
export type Kinds = ReadonlyMap<string, KindInfo>;

/** The same kind in several clusters counts once; one whose CRD says how it is shown is preferred. */
export function gatherKinds(clusters: Iterable<readonly KindInfo[]>): Map<string, KindInfo> {
  const kinds = new Map<string, KindInfo>();
  for (const list of clusters) {
    for (const kind of list) {
      const known = kinds.get(kind.kind);
      if (!known || (known.printerColumns === undefined && kind.printerColumns !== undefined))
        kinds.set(kind.kind, kind);
    }
  }
  return kinds;
}

/** All of them without names. Throws OBJECTS_KIND_UNKNOWN. */
export function chooseKinds(kinds: Kinds, names: string | undefined): KindInfo[] {
  if (names === undefined) return [...kinds.values()];
  const chosen = new Map<string, KindInfo>();
  for (const name of names.split(",").map((one) => one.trim())) {
    const kind = findKind(kinds, name);
    if (!kind) throw kindUnknown(name);
    chosen.set(kind.kind, kind);
  }
  return [...chosen.values()];
}

function findKind(kinds: Kinds, name: string): KindInfo | undefined {
  const exact = kinds.get(name);
  if (exact) return exact;
  const wanted = name.toLowerCase();
  return [...kinds.values()].filter((kind) => namesOf(kind).includes(wanted)).sort(byPriority)[0];
}

function namesOf({ resource, kindName, shortNames, group, version }: KindInfo): string[] {
  const plain = [resource, kindName.toLowerCase(), ...shortNames];
  const suffixes = group === "" ? [`.${version}`] : [`.${group}`, `.${version}.${group}`];
  return [...plain, ...suffixes.flatMap((suffix) => [`${resource}${suffix}`, `${kindName.toLowerCase()}${suffix}`])];
}

/** As kubectl does: Kubernetes' own groups before those that were added. */
function byPriority(one: KindInfo, other: KindInfo): number {
  return rank(one) - rank(other) || (one.kind < other.kind ? -1 : 1);
}

function rank({ group }: KindInfo): number {
  if (group === "") return 0;
  if (!group.includes(".")) return 1;
  return group.endsWith(".k8s.io") ? 2 : 3;
}
