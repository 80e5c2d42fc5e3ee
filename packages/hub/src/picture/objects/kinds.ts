// Which kind of one cluster a name means: `pods`, `pod`, `po`, `Pod`, `pods.v1`, `deployments.apps`, `Deployment.apps`.
// Each cluster by itself: what one reports changes no name in another.
import { isReservedGroup } from "@fairlead/protocol";
import type { InventoryReader, KindInfo } from "../inventory/index.ts";
import { type BuiltInKind, findBuiltIn, findBuiltInsNamed } from "../tables/index.ts";

/** The kinds of one cluster by their keys. */
export interface Kinds {
  get(kind: string): KindInfo | undefined;
  values(): readonly KindInfo[];
}

/**
 * Kinds that Kubernetes itself defines are known, whatever is reported of them. Nothing is read before it is asked for:
 * a question over thousands of clusters names one or two kinds of dozens.
 */
export function kindsOf(inventory: Pick<InventoryReader, "kind" | "kinds">, cluster: string): Kinds {
  return {
    get(key) {
      const kind = inventory.kind(cluster, key);
      return kind && toKnown(kind);
    },
    values: () => inventory.kinds(cluster).map(toKnown),
  };
}

/** A name of a built-in kind means that one, and nothing where the cluster doesn't have it. */
export function resolveKind(kinds: Kinds, name: string): KindInfo | undefined {
  const wanted = name.toLowerCase();
  const builtIns = findBuiltInsNamed(wanted);
  if (builtIns.length > 0) return builtIns.flatMap(({ kind }) => kinds.get(kind) ?? [])[0];
  return (
    kinds.get(wanted) ??
    kinds
      .values()
      .filter((kind) => hasName(kind, wanted))
      .sort(byPriority)[0]
  );
}

/** A built-in kind as every cluster has it. */
export function resolveBuiltIn(name: string): KindInfo | undefined {
  return findBuiltInsNamed(name.toLowerCase())[0];
}

function toKnown(kind: KindInfo): KindInfo {
  const known = findBuiltIn(kind.kind);
  if (!known) return withoutNamesOfOthers(kind);
  // Thousands of clusters have them all, and most say what is known.
  if (isAsKnown(kind, known)) return kind;
  const { printerColumns: _columns, ...rest } = kind;
  const { kindName, namespaced, shortNames } = known;
  return { ...rest, kindName, namespaced, shortNames };
}

/** A short name that means a built-in kind would mean something else in whatever lists kinds of several clusters. */
function withoutNamesOfOthers(kind: KindInfo): KindInfo {
  const isFree = (name: string): boolean => findBuiltInsNamed(name).length === 0;
  if (kind.shortNames.every(isFree)) return kind;
  return { ...kind, shortNames: kind.shortNames.filter(isFree) };
}

function isAsKnown({ kindName, namespaced, shortNames, printerColumns }: KindInfo, known: BuiltInKind): boolean {
  return (
    printerColumns === undefined &&
    kindName === known.kindName &&
    namespaced === known.namespaced &&
    shortNames.length === known.shortNames.length &&
    shortNames.every((name, index) => name === known.shortNames[index])
  );
}

function hasName({ resource, kindName, shortNames, group, version }: KindInfo, wanted: string): boolean {
  const plain = [resource, kindName.toLowerCase()];
  if (!wanted.includes(".")) return plain.includes(wanted) || shortNames.includes(wanted);
  const found = plain.find((one) => wanted.startsWith(`${one}.`));
  if (found === undefined) return false;
  const suffix = wanted.slice(found.length + 1);
  return group === "" ? suffix === version : suffix === group || suffix === `${version}.${group}`;
}

/** As kubectl does: Kubernetes' own groups before those that were added, and before ours, which no name of a cluster's kind may mean. */
function byPriority(one: KindInfo, other: KindInfo): number {
  return rank(one) - rank(other) || (one.kind < other.kind ? -1 : 1);
}

function rank({ group }: KindInfo): number {
  if (isReservedGroup(group)) return 4;
  if (group === "") return 0;
  if (!group.includes(".")) return 1;
  return group.endsWith(".k8s.io") ? 2 : 3;
}
