// Follows one kind of the objects in Argo CD's namespace on the hub, once for all clusters of this hub, as long as one
// of them wants it. Objects with the label that keeps them on the hub are passed over, as mirrors of autonomous
// clusters are.
import { type Clock, sleep } from "@fairlead/kernel";
import {
  type GitopsKind,
  type GitopsObject,
  ignoreLabel,
  isIgnored,
  toContent,
  toDataPart,
  toProjectPart,
} from "@fairlead/protocol";
import type { HubObjects } from "../types.ts";
import type { SharedLimits, SharedListener, SharedLog, SharedObject } from "./types.ts";

export interface SharedKindOptions {
  readonly objects: Pick<HubObjects, "watch" | "get">;
  readonly kind: GitopsKind;
  /** Argo CD's own. */
  readonly namespace: string;
  readonly limits: SharedLimits;
  readonly clock: Clock;
  readonly log: SharedLog;
}

export class SharedKind {
  readonly #options: SharedKindOptions;
  readonly #listeners = new Set<SharedListener>();
  #objects = new Map<string, SharedObject>();
  #sizeBytes = 0;
  #isListed = false;
  #watching: AbortController | undefined;
  /** Why it can't be read, as it was logged. */
  #failure: string | undefined;

  constructor(options: SharedKindOptions) {
    this.#options = options;
  }

  get isListed(): boolean {
    return this.#isListed;
  }

  get objects(): ReadonlyMap<string, SharedObject> {
    return this.#objects;
  }

  /** A listener that joins later looks at `isListed` and `objects` first. */
  join(listener: SharedListener): Disposable {
    this.#listeners.add(listener);
    if (this.#watching === undefined) {
      this.#watching = new AbortController();
      void this.#run(this.#watching.signal);
    }
    return { [Symbol.dispose]: () => this.#leave(listener) };
  }

  /** By a read of its own. Undefined: it isn't there, or another one has its name, and that is certain. */
  async look(uid: string, name: string, signal: AbortSignal): Promise<SharedObject | undefined> {
    const { objects, kind, namespace } = this.#options;
    const found = await objects.get({ kind, namespace, name }, signal);
    return found?.metadata.uid === uid && !isIgnored(found) ? readObject(kind, found) : undefined;
  }

  #leave(listener: SharedListener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    this.#watching?.abort();
    this.#watching = undefined;
    this.#objects = new Map();
    this.#sizeBytes = 0;
    this.#isListed = false;
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    while (!signal.aborted) {
      await this.#watch(signal).catch((error: unknown) => this.#fail(signal, String(error)));
      await sleep(againMs, { clock, signal }).catch(() => undefined);
    }
  }

  /** Until the signal aborts, or there is too much to keep. */
  async #watch(signal: AbortSignal): Promise<void> {
    const { objects, kind, namespace } = this.#options;
    const full = new AbortController();
    const until = AbortSignal.any([signal, full.signal]);
    const unlessOver =
      <Told>(tell: (told: Told) => boolean) =>
      (told: Told): void => {
        if (until.aborted || tell(told)) return;
        full.abort();
        this.#overflow(signal);
      };
    await objects
      .watch({
        kind,
        namespace,
        labelSelector: `${ignoreLabel}!=true`,
        signal: until,
        handler: {
          listed: unlessOver((found: readonly GitopsObject[]) => this.#list(found)),
          changed: unlessOver((object: GitopsObject) => this.#change(object)),
          deleted: unlessOver((object: GitopsObject) => this.#drop(object)),
          unavailable: (reason) => this.#fail(until, reason),
        },
      })
      .catch((error: unknown) => {
        if (!until.aborted) throw error;
      });
  }

  /** False: there is more than may be kept. */
  #list(found: readonly GitopsObject[]): boolean {
    const objects = new Map<string, SharedObject>();
    let sizeBytes = 0;
    for (const object of found) {
      if (isIgnored(object)) continue;
      const read = readObject(this.#options.kind, object);
      objects.set(read.uid, read);
      sizeBytes += read.sizeBytes;
      if (this.#isTooMuch(objects.size, sizeBytes)) return false;
    }
    this.#objects = objects;
    this.#sizeBytes = sizeBytes;
    this.#isListed = true;
    this.#failure = undefined;
    for (const listener of this.#listeners) listener.listed();
    return true;
  }

  #change(object: GitopsObject): boolean {
    if (isIgnored(object)) return this.#drop(object);
    const changed = readObject(this.#options.kind, object);
    const before = this.#objects.get(changed.uid);
    const sizeBytes = this.#sizeBytes - (before?.sizeBytes ?? 0) + changed.sizeBytes;
    if (this.#isTooMuch(this.#objects.size + (before ? 0 : 1), sizeBytes)) return false;
    this.#objects.set(changed.uid, changed);
    this.#sizeBytes = sizeBytes;
    for (const listener of this.#listeners) listener.changed(changed);
    return true;
  }

  #drop({ metadata: { uid = "" } }: GitopsObject): boolean {
    const before = this.#objects.get(uid);
    if (before === undefined) return true;
    this.#objects.delete(uid);
    this.#sizeBytes -= before.sizeBytes;
    for (const listener of this.#listeners) listener.deleted(before);
    return true;
  }

  #isTooMuch(objects: number, sizeBytes: number): boolean {
    const { maxObjects, maxBytes } = this.#options.limits;
    return objects > maxObjects || sizeBytes > maxBytes;
  }

  #overflow(signal: AbortSignal): void {
    const { maxObjects, maxBytes } = this.#options.limits;
    this.#isListed = false;
    for (const listener of this.#listeners) listener.unlisted();
    this.#fail(signal, `There are more than ${maxObjects} objects, or they have more than ${maxBytes} bytes.`);
  }

  /** Clusters keep what they have. */
  #fail(signal: AbortSignal, reason: string): void {
    if (signal.aborted || reason === this.#failure) return;
    this.#failure = reason;
    const { kind, namespace, log } = this.#options;
    log.warn({ kind, namespace, reason }, "objects that clusters get can't be read; none of them is deleted for it");
  }
}

/** Keeps what clusters get, and no more of it. */
function readObject(kind: GitopsKind, object: GitopsObject): SharedObject {
  const { metadata } = object;
  const part = kind === "projects" ? toProjectPart(object) : toDataPart(object);
  const { version, contentJson } = toContent(metadata, part);
  const { uid = "", name } = metadata;
  return { uid, name, part, version, sizeBytes: contentJson.byteLength };
}

const againMs = 30_000;
