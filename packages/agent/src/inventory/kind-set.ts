// The objects of a kind at the API server, as far as the agent knows: uid, where to find it, version. Columns instead
// of an object per entry, and the hash that chooses a bucket kept, so that half a million entries stay small and their
// digests are a pass over numbers.
import { hashUid } from "@fairlead/protocol";
import type { ObjectRef } from "../observe/index.ts";

export class KindSet {
  readonly #slots = new Map<string, number>();
  readonly #free: number[] = [];
  readonly #namespaces = new Map<string, string>();
  readonly #names: (string | undefined)[] = [];
  readonly #namespaceOf: (string | undefined)[] = [];
  #versions = new BigUint64Array(firstCapacity);
  #hashes = new Uint32Array(firstCapacity);
  /** 1: named since the last list began. */
  #named = new Uint8Array(firstCapacity);
  #digest = 0n;

  get size(): number {
    return this.#slots.size;
  }

  /** XOR of all versions. */
  get digest(): bigint {
    return this.#digest;
  }

  versionOf(uid: string): bigint | undefined {
    const slot = this.#slots.get(uid);
    return slot === undefined ? undefined : this.#versions[slot];
  }

  refOf(uid: string): ObjectRef | undefined {
    const slot = this.#slots.get(uid);
    if (slot === undefined) return undefined;
    return { uid, namespace: this.#namespaceOf[slot] ?? "", name: this.#names[slot] ?? "" };
  }

  /** True when it is new or another version. It counts as named by the list that is under way. */
  put(object: ObjectRef & { readonly version: bigint }): boolean {
    const { uid, version } = object;
    const known = this.#slots.get(uid);
    if (known !== undefined) {
      this.#named[known] = 1;
      const before = this.#versions[known] as bigint;
      if (before === version) return false;
      this.#versions[known] = version;
      this.#digest ^= before ^ version;
      return true;
    }
    const slot = this.#free.pop() ?? this.#slots.size;
    if (slot >= this.#versions.length) this.#grow();
    this.#slots.set(uid, slot);
    this.#names[slot] = object.name;
    this.#namespaceOf[slot] = this.#intern(object.namespace);
    this.#versions[slot] = version;
    this.#hashes[slot] = hashUid(uid);
    this.#named[slot] = 1;
    this.#digest ^= version;
    return true;
  }

  remove(uid: string): boolean {
    const slot = this.#slots.get(uid);
    if (slot === undefined) return false;
    this.#slots.delete(uid);
    this.#names[slot] = undefined;
    this.#namespaceOf[slot] = undefined;
    this.#free.push(slot);
    this.#digest ^= this.#versions[slot] as bigint;
    return true;
  }

  beginList(): void {
    this.#named.fill(0);
  }

  /** Removes what the list didn't name, and says what that was. */
  endList(): string[] {
    const gone: string[] = [];
    for (const [uid, slot] of this.#slots) if (this.#named[slot] !== 1) gone.push(uid);
    for (const uid of gone) this.remove(uid);
    return gone;
  }

  uids(): IterableIterator<string> {
    return this.#slots.keys();
  }

  /** XOR of the versions in each bucket. */
  digests(bucketCount: number): BigUint64Array {
    const digests = new BigUint64Array(bucketCount);
    const halves = new Uint32Array(digests.buffer);
    const versions = new Uint32Array(this.#versions.buffer);
    const mask = bucketCount - 1;
    for (const slot of this.#slots.values()) {
      const bucket = 2 * ((this.#hashes[slot] as number) & mask);
      halves[bucket] = (halves[bucket] as number) ^ (versions[2 * slot] as number);
      halves[bucket + 1] = (halves[bucket + 1] as number) ^ (versions[2 * slot + 1] as number);
    }
    return digests;
  }

  /** The uids in each of these buckets. */
  uidsIn(buckets: readonly number[], bucketCount: number): Map<number, string[]> {
    const uids = new Map<number, string[]>(buckets.map((bucket) => [bucket, []]));
    const mask = bucketCount - 1;
    for (const [uid, slot] of this.#slots) uids.get((this.#hashes[slot] as number) & mask)?.push(uid);
    return uids;
  }

  #intern(namespace: string): string {
    const known = this.#namespaces.get(namespace);
    if (known !== undefined) return known;
    this.#namespaces.set(namespace, namespace);
    return namespace;
  }

  #grow(): void {
    const capacity = this.#versions.length * 2;
    const versions = new BigUint64Array(capacity);
    versions.set(this.#versions);
    this.#versions = versions;
    const hashes = new Uint32Array(capacity);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    const named = new Uint8Array(capacity);
    named.set(this.#named);
    this.#named = named;
  }
}

const firstCapacity = 16;
