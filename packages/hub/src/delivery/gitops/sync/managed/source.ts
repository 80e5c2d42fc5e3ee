// The hub's end of one cluster's flow of shared objects: those that the cluster is to have, as it is to have them.
import { type Departure, hashOf, ReplicaSource, toContent } from "@fairlead/protocol";
import type { SharedKind, SharedObject, SharedPart } from "../../shared/index.ts";
import type { EndsOptions } from "../types.ts";

export interface ManagedSource extends Disposable {
  readonly source: ReplicaSource;
  /** Which objects the cluster has may be another answer now. */
  judge(): void;
}

type Given = Pick<EndsOptions, "limits" | "onWork" | "clock" | "random" | "log" | "signal" | "fence">;

export function createManagedSource(
  options: Given & {
    readonly shared: SharedKind;
    /** The namespace of Argo CD on the hub. */
    readonly argoNamespace: string;
    /** Undefined: the cluster is to have none of it. */
    readonly partFor: (object: SharedObject) => SharedPart | undefined;
    /** Whether `partFor` can be asked. */
    readonly isReady: () => boolean;
  },
): ManagedSource {
  const { shared, argoNamespace, partFor, isReady, onWork, clock, random, limits, log, signal, fence } = options;
  /** The names of objects that the cluster has or had, until the hub knows that they went. */
  const names = new Map<string, string>();
  const source = new ReplicaSource({
    load(uid) {
      const object = shared.objects.get(uid);
      const part = object && partFor(object);
      return part && toContent({ namespace: argoNamespace, name: part.metadata.name }, part);
    },
    onUnsure: (unsure) => void look(unsure),
    onWork,
    random,
    now: () => clock.steadyMs(),
    ...limits,
  });
  const joined = shared.join({ listed: judge, changed: settle, deleted: ({ uid }) => remove(uid, gone), unlisted });
  judge();
  return { source, judge, [Symbol.dispose]: () => joined[Symbol.dispose]() };

  function unlisted(): void {
    source.unlist();
  }

  function judge(): void {
    if (!shared.isListed || !isReady()) return;
    const listed: [string, bigint][] = [];
    for (const object of shared.objects.values()) {
      const version = versionFor(object);
      if (version === undefined) remove(object.uid, toWithdrawn(object));
      else listed.push([object.uid, version]);
    }
    source.list(listed);
  }

  function settle(object: SharedObject): void {
    if (!isReady()) return;
    const version = versionFor(object);
    if (version === undefined) remove(object.uid, toWithdrawn(object));
    else source.put(object.uid, version);
  }

  function remove(uid: string, departure: Departure): void {
    names.delete(uid);
    source.remove(uid, departure);
  }

  function versionFor(object: SharedObject): bigint | undefined {
    const part = partFor(object);
    if (part === undefined) return undefined;
    names.set(object.uid, object.name);
    return part === object.part ? object.version : hashOf(part);
  }

  /** Reports an object as gone only after a read that found none. The cluster's copy has the same name. */
  async function look({ uid, name: copied }: { readonly uid: string; readonly name: string }): Promise<void> {
    const known = shared.objects.get(uid);
    const name = names.get(uid) ?? copied.slice(copied.indexOf("/") + 1);
    try {
      const found = known ?? (name === "" ? undefined : await shared.look(uid, name, signal));
      if (found !== undefined) settle(found);
      else if (name !== "") remove(uid, gone);
    } catch (error) {
      const { cluster } = fence;
      if (!signal.aborted)
        log.warn({ err: error, cluster, name }, "an object that clusters get can't be looked for now");
    }
  }
}

function toWithdrawn({ part }: SharedObject): Departure {
  return { finalizers: part.metadata.finalizers, isWithdrawn: true };
}

/** What went had no finalizer at last, or it wouldn't have gone. */
const gone: Departure = { finalizers: [], isWithdrawn: false };
