// How old the data of subscriptions is: told when a cluster's state changes and every few seconds, to all at once.
import type { MissingKind } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import type { ClusterFreshness, InventoryReader } from "../inventory/index.ts";
import { toDataAge } from "../objects/index.ts";

export interface AgeListener {
  readonly id: string;
  readonly kinds: ReadonlySet<string> | undefined;
  /** The same for all whose clusters are the same. */
  readonly place: string;
  clusters(): readonly string[];
  /** The missing ones among the kinds that it asks for by name, when it began. */
  missing(cluster: string): readonly MissingKind[];
  send(text: string): void;
}

export interface Ages extends Disposable {
  add(listener: AgeListener): void;
  remove(listener: AgeListener): void;
}

export function createAges(options: {
  readonly inventory: Pick<InventoryReader, "freshness" | "onFreshnessChanged">;
  readonly clock: Clock;
}): Ages {
  const { inventory, clock } = options;
  const listeners = new Set<AgeListener>();
  let cancel = clock.after(everyMs, tick);
  let isSoon = false;
  const stop = inventory.onFreshnessChanged(() => {
    if (isSoon) return;
    isSoon = true;
    cancel();
    cancel = clock.after(soonMs, tick);
  });
  return {
    add(listener) {
      listeners.add(listener);
      listener.send(createFormat()(listener));
    },
    remove: (listener) => void listeners.delete(listener),
    [Symbol.dispose]() {
      stop();
      cancel();
      listeners.clear();
    },
  };

  function tick(): void {
    isSoon = false;
    cancel = clock.after(everyMs, tick);
    const format = createFormat();
    for (const listener of listeners) listener.send(format(listener));
  }

  /** The part that many have in common is found out once. */
  function createFormat(): (listener: AgeListener) => string {
    const freshness = new Map<string, ClusterFreshness>();
    const ages = new Map<string, string>();
    const places = new Map<string, string>();
    return ({ id, kinds, place, clusters, missing }) => {
      const ofKinds = kinds ? [...kinds].join() : "*";
      const key = `${place}\n${ofKinds}`;
      const known =
        places.get(key) ??
        clusters()
          .map((name) => describe(name, { ofKinds, kinds, missing: missing(name) }))
          .join();
      places.set(key, known);
      return `{"type":"ages","id":${JSON.stringify(id)},"clusters":[${known}]}`;
    };

    function describe(
      name: string,
      options: {
        readonly ofKinds: string;
        readonly kinds: ReadonlySet<string> | undefined;
        readonly missing: readonly MissingKind[];
      },
    ): string {
      const { ofKinds, kinds, missing } = options;
      const key = JSON.stringify([name, ofKinds, missing]);
      const known = ages.get(key) ?? JSON.stringify(toDataAge(look(name), kinds, stillMissing(name, missing)));
      ages.set(key, known);
      return known;
    }

    /** A kind that wasn't observed when the subscription began may be by now. */
    function stillMissing(name: string, missing: readonly MissingKind[]): readonly MissingKind[] {
      return missing.filter(
        ({ kind, reason }) => reason === "forbidden" || !look(name).kinds.some((one) => one.kind === kind),
      );
    }

    function look(name: string): ClusterFreshness {
      const found = freshness.get(name) ?? inventory.freshness(name);
      freshness.set(name, found);
      return found;
    }
  }
}

const everyMs = 5_000;
const soonMs = 200;
