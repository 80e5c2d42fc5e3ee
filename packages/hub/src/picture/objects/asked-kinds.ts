// The kinds that a question names, looked for in each cluster by itself, and what of them the caller may see there. A kind
// that an answer can't have is named in it; where nothing is left to answer, the question fails and says why.
import type { MissingKind } from "@fairlead/contract";
import { isReservedGroup } from "@fairlead/protocol";
import type { Principal } from "../../people/access/index.ts";
import type { KindInfo } from "../inventory/index.ts";
import { forbidden, kindNotObserved, kindUnknown } from "./errors.ts";
import type { Filter } from "./filter.ts";
import { resolveBuiltIn, resolveKind } from "./kinds.ts";
import { createSight, gatherScopes, type KindScope, type Sight } from "./scope.ts";
import type { ClusterListing, ObjectAccess } from "./types.ts";

export interface AskedKinds {
  /** Keys over all clusters, and those of built-in kinds that no cluster has yet. */
  readonly kinds: ReadonlySet<string>;
  readonly byCluster: ReadonlyMap<string, ReadonlyMap<string, KindInfo>>;
  readonly scopes: readonly KindScope[];
  readonly missing: ReadonlyMap<string, readonly MissingKind[]>;
}

interface Question {
  readonly access: ObjectAccess;
  readonly principal: Principal;
  readonly verb: "list" | "watch";
  /** Undefined: all kinds. */
  readonly names: readonly string[] | undefined;
  readonly filter: Filter;
  readonly clusters: readonly ClusterListing[];
  /** Clusters that the caller may know of and doesn't ask. */
  readonly others: () => Iterable<ClusterListing>;
}

/** Throws OBJECTS_KIND_UNKNOWN, OBJECTS_KIND_NOT_OBSERVED, OBJECTS_FORBIDDEN. */
export function askForKinds(question: Question): AskedKinds {
  const { access, principal, verb, names, filter, clusters } = question;
  const meant = new Map((names ?? []).map((name) => [name, findAnywhere(name, question)]));
  const kinds = new Set([...meant.values()].flatMap((one) => one?.kind ?? []));
  const byCluster = new Map<string, Map<string, KindInfo>>();
  const missing = new Map<string, MissingKind[]>();
  const scopes = gatherScopes();
  let isRefused = false;
  for (const cluster of clusters) {
    const { name } = cluster;
    const see = createSight({ access, principal, cluster: name, verb });
    const own = new Map<string, KindInfo>();
    byCluster.set(name, own);
    for (const { kind, isThere } of candidates(cluster, meant, question)) {
      if (own.has(kind.kind)) continue;
      const sight = see(kind);
      const isForbidden = isOutOfSight(sight, kind, filter);
      isRefused ||= isForbidden;
      if (!isForbidden && isThere) {
        own.set(kind.kind, kind);
        kinds.add(kind.kind);
        scopes.add(name, kind.kind, sight);
      } else if (names) {
        const reason = isForbidden ? "forbidden" : "not-observed";
        missing.set(name, [...(missing.get(name) ?? []), { kind: kind.kind, reason }]);
      }
    }
  }
  const found = scopes.list();
  if (found.length === 0 && clusters.length > 0) refuseAll(question, missing, isRefused);
  return { kinds, byCluster, scopes: found, missing };
}

function* candidates(
  { kinds }: ClusterListing,
  meant: ReadonlyMap<string, KindInfo | undefined>,
  { names, filter }: Question,
): Generator<{ readonly kind: KindInfo; readonly isThere: boolean }> {
  if (names === undefined) {
    for (const kind of kinds.values()) if (kind.namespaced || !filter.namespaces) yield { kind, isThere: true };
    return;
  }
  for (const [name, elsewhere] of meant) {
    const own = resolveKind(kinds, name);
    const kind = own ?? elsewhere;
    if (kind) yield { kind, isThere: kind === own };
  }
}

/** Finds the meaning of a name where a cluster doesn't have it. Throws OBJECTS_KIND_UNKNOWN. */
function findAnywhere(name: string, { clusters, others }: Question): KindInfo | undefined {
  const builtIn = resolveBuiltIn(name);
  if (builtIn) return builtIn;
  let isAnyThere = false;
  let derived: KindInfo | undefined;
  for (const listings of [clusters, others()]) {
    for (const { kinds } of listings) {
      isAnyThere = true;
      const found = resolveKind(kinds, name);
      if (found && !isReservedGroup(found.group)) return found;
      derived ??= found;
    }
  }
  if (derived) return derived;
  // Where there is no cluster at all nothing is known of any kind.
  if (isAnyThere) throw kindUnknown(name);
  return undefined;
}

/** Also when none of the namespaces that are asked for may be seen. */
function isOutOfSight(sight: Sight, { namespaced }: KindInfo, { namespaces }: Filter): boolean {
  if (sight.type !== "namespaces" || !namespaced || !namespaces) return sight.type === "none";
  return !sight.names.some((name) => namespaces.includes(name));
}

function refuseAll(
  { principal, clusters, names, filter }: Question,
  missing: ReadonlyMap<string, readonly MissingKind[]>,
  isRefused: boolean,
): void {
  const entries = [...missing].flatMap(([cluster, some]) => some.map((one) => ({ ...one, cluster })));
  const refused = names ? entries.filter(({ reason }) => reason === "forbidden") : [];
  const namespaces = filter.namespaces?.filter((name) => name !== "") ?? [];
  if (isRefused) {
    const kinds = names ? refused.map(({ kind }) => kind) : ["objects"];
    const places = names ? refused.map(({ cluster }) => cluster) : clusters.map(({ name }) => name);
    throw forbidden({ name: principal.name, kinds, namespaces, clusters: places });
  }
  if (entries.length === 0) return;
  throw kindNotObserved({
    kinds: entries.map(({ kind }) => kind),
    clusters: entries.map(({ cluster }) => cluster),
    isObserved: clusters.some(({ kinds }) => kinds.values().length > 0),
  });
}
