// A hub in memory, for tests: does what the agreement says of the hub, with the plainest means.
import { bucketOf } from "@fairlead/protocol";
import type { FromHub, PlainChange, ToHub } from "./messages.ts";

export interface ModelKind {
  state: string;
  code: string;
}

/** The contents of a hub's store: kind -> uid -> object. */
export class ModelStore {
  readonly objects: Map<string, Map<string, { readonly version: bigint; readonly json: Uint8Array }>> = new Map();
  readonly kinds: Map<string, ModelKind> = new Map();

  /** kind -> uid -> version. */
  versions(): Record<string, Record<string, bigint>> {
    return Object.fromEntries(
      [...this.objects].map(([kind, objects]) => [
        kind,
        Object.fromEntries([...objects].map(([uid, { version }]) => [uid, version])),
      ]),
    );
  }

  ofKind(key: string): Map<string, { readonly version: bigint; readonly json: Uint8Array }> {
    let objects = this.objects.get(key);
    if (objects === undefined) {
      objects = new Map();
      this.objects.set(key, objects);
    }
    return objects;
  }

  wipe(): void {
    this.objects.clear();
    this.kinds.clear();
  }
}

/** The hub's end of one call. Takes the agent's messages as data, gives its own. */
export class ModelCall {
  readonly #store: ModelStore;
  readonly #keys = new Map<number, string>();
  readonly maxUnackedBytes: number;
  #expected = 1n;
  alive: { ages: { kind: number; verifiedMsAgo: number }[]; pendingChanges: number } | undefined;

  constructor(store: ModelStore, maxUnackedBytes: number) {
    this.#store = store;
    this.maxUnackedBytes = maxUnackedBytes;
  }

  keyOf(id: number): string {
    const key = this.#keys.get(id);
    if (key === undefined) throw new Error(`kind ${id} was never named`);
    return key;
  }

  take(request: ToHub): FromHub[] {
    const message = request.message as { case: string; value: never };
    switch (message.case) {
      case "start":
        return [{ case: "welcome", value: { maxUnackedBytes: this.maxUnackedBytes } }];
      case "kinds":
        return this.#kinds(message.value);
      case "compare":
        return this.#compare(message.value);
      case "listBuckets":
        return this.#list(message.value);
      case "batch":
        return this.#batch(message.value);
      case "alive":
        this.alive = message.value;
        return [];
      default:
        throw new Error(`what is ${message.case}?`);
    }
  }

  #kinds({ changed = [], removed = [], complete }: KindsValue): FromHub[] {
    for (const { id, group, resource, state, code } of changed) {
      const key = group === "" ? resource : `${resource}.${group}`;
      this.#keys.set(id, key);
      this.#store.kinds.set(key, { state, code });
      this.#store.ofKind(key);
    }
    for (const id of removed) {
      const key = this.keyOf(id);
      this.#keys.delete(id);
      if ([...this.#keys.values()].includes(key)) continue;
      this.#store.objects.delete(key);
      this.#store.kinds.delete(key);
    }
    if (!complete) return [];
    const named = new Set(this.#keys.values());
    for (const key of this.#store.objects.keys()) if (!named.has(key)) this.#store.objects.delete(key);
    return [];
  }

  #compare({ kind, bucketCount }: { kind: number; bucketCount: number }): FromHub[] {
    const objects = this.#store.ofKind(this.keyOf(kind));
    const digests = Array.from({ length: bucketCount }, () => 0n);
    for (const [uid, { version }] of objects) {
      const bucket = bucketOf(uid, bucketCount);
      digests[bucket] = (digests[bucket] as bigint) ^ version;
    }
    return [{ case: "digests", value: { kind, bucketCount, objectCount: objects.size, digests } }];
  }

  #list({ kind, bucketCount, buckets }: { kind: number; bucketCount: number; buckets: number[] }): FromHub[] {
    const objects = [...this.#store.ofKind(this.keyOf(kind))];
    return buckets.map((bucket) => {
      const inside = objects.filter(([uid]) => bucketOf(uid, bucketCount) === bucket);
      const uids = inside.map(([uid]) => uid);
      const versions = inside.map(([, { version }]) => version);
      return { case: "bucketEntries", value: { kind, bucketCount, bucket, uids, versions } };
    });
  }

  #batch({ sequence, changes }: { sequence: bigint; changes: PlainChange[] }): FromHub[] {
    if (sequence !== this.#expected++) throw new Error(`batch ${sequence} isn't next`);
    for (const { kind, uid, deleted, version, objectJson } of changes) {
      const objects = this.#store.ofKind(this.keyOf(kind));
      if (deleted) objects.delete(uid);
      else objects.set(uid, { version, json: objectJson });
    }
    return [{ case: "ack", value: { sequence } }];
  }
}

interface KindsValue {
  readonly changed?: readonly KindValue[];
  readonly removed?: readonly number[];
  readonly complete?: boolean;
}

interface KindValue {
  readonly id: number;
  readonly group: string;
  readonly resource: string;
  readonly state: string;
  readonly code: string;
}
