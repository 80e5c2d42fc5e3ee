// Applications of all namespaces of the hub, for clusters with the mapping by destination: followed once for all of them that
// this hub serves, and told each to the cluster that it belongs to. One that belongs to another cluster now, or to none, is
// told to the former as deleted.
import { type Clock, repeat, sleep, untilAbort } from "@fairlead/kernel";
import type { GitopsObject } from "@fairlead/protocol";
import type { HubObjects, HubObjectsHandler } from "../types.ts";
import { destinationOf } from "./destination-of.ts";
import { type NamespaceRules, ownerOf } from "./owner-of.ts";

export interface DestinedApplications {
  /** Tells a cluster's applications until the signal aborts. That they can't be read is in the log. */
  follow(cluster: string, handler: DestinedHandler, signal: AbortSignal): Promise<void>;
  /** Whether the application is one of the cluster's, as far as is known. */
  isOwn(application: GitopsObject, cluster: string): boolean;
  /** Which clusters exchange applications may have changed. */
  refresh(): void;
}

export type DestinedHandler = Pick<HubObjectsHandler, "listed" | "changed" | "deleted">;

export interface DestinedOptions {
  readonly objects: Pick<HubObjects, "watch">;
  readonly rules: NamespaceRules;
  /** Names of clusters that exchange applications, by whichever mapping. */
  readonly listExchanging: () => Promise<readonly string[]>;
  readonly limits?: DestinedLimits;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
}

/** Bounds all applications that name a cluster. */
export interface DestinedLimits {
  readonly maxObjects: number;
  readonly maxBytes: number;
}

export function createDestinedApplications(options: DestinedOptions): DestinedApplications {
  const { objects, rules, listExchanging, limits = usualLimits, clock, log } = options;
  const handlers = new Map<string, DestinedHandler>();
  const known = new Map<string, Known>();
  let exchanging: ReadonlySet<string> = new Set();
  let sizeBytes = 0;
  let isListed = false;
  let running: AbortController | undefined;
  /** Why they can't be followed, as it was logged. */
  let failure: string | undefined;
  return {
    async follow(cluster, handler, signal) {
      signal.throwIfAborted();
      handlers.set(cluster, handler);
      if (isListed) handler.listed(ownedBy(cluster));
      running ??= start();
      await untilAbort(signal).finally(() => leave(cluster, handler));
    },
    isOwn: (application, cluster) => owner(application) === cluster,
    refresh: () => {
      if (running) void readExchanging().catch(warn);
    },
  };

  function start(): AbortController {
    const controller = new AbortController();
    void run(controller.signal).catch(() => undefined);
    return controller;
  }

  function leave(cluster: string, handler: DestinedHandler): void {
    if (handlers.get(cluster) === handler) handlers.delete(cluster);
    if (handlers.size > 0) return;
    running?.abort();
    running = undefined;
    forget();
  }

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await readExchanging();
        using _reading = repeat({ clock, intervalMs: readEveryMs, run: readExchanging, onError: warn });
        await watch(signal);
      } catch (error) {
        if (!signal.aborted) fail(String(error));
      }
      await sleep(againMs, { clock, signal });
    }
  }

  /** Until the signal aborts, or there is too much to keep. */
  async function watch(signal: AbortSignal): Promise<void> {
    const full = new AbortController();
    const until = AbortSignal.any([signal, full.signal]);
    const unlessOver =
      <Told>(tell: (told: Told) => boolean) =>
      (told: Told): void => {
        if (until.aborted || tell(told)) return;
        full.abort(new Error("There is too much to keep."));
        forget();
        fail(
          `More than ${limits.maxObjects} applications name a cluster, or they have more than ${limits.maxBytes} bytes.`,
        );
      };
    const scope = { kind: "applications", namespace: undefined, labelSelector: "" } as const;
    await objects
      .watch({
        ...scope,
        signal: until,
        handler: {
          listed: unlessOver(list),
          changed: unlessOver((object: GitopsObject) => change(object)),
          deleted: unlessOver((object: GitopsObject) => drop(object)),
          unavailable: (reason) => {
            if (!until.aborted) fail(reason);
          },
        },
      })
      .catch((error: unknown) => {
        if (!until.aborted) throw error;
      });
  }

  /** False: there is more than may be kept. */
  function list(found: readonly GitopsObject[]): boolean {
    forget();
    for (const object of found) if (!keep(object)) return false;
    isListed = true;
    failure = undefined;
    for (const [cluster, handler] of handlers) handler.listed(ownedBy(cluster));
    return true;
  }

  function change(object: GitopsObject): boolean {
    const before = known.get(uidOf(object));
    if (!keep(object)) return false;
    tell(object, before?.owner, known.get(uidOf(object))?.owner);
    return true;
  }

  function drop(object: GitopsObject): boolean {
    const before = known.get(uidOf(object));
    remove(uidOf(object));
    if (before?.owner !== undefined) handlers.get(before.owner)?.deleted(object);
    return true;
  }

  function tell(object: GitopsObject, before: string | undefined, now: string | undefined): void {
    if (before !== undefined && before !== now) handlers.get(before)?.deleted(object);
    if (now !== undefined) handlers.get(now)?.changed(object);
  }

  /** Keeps only applications that name a cluster: the others belong to none. */
  function keep(object: GitopsObject): boolean {
    remove(uidOf(object));
    if (destinationOf(object) === undefined) return true;
    const bytes = Buffer.byteLength(JSON.stringify(object));
    known.set(uidOf(object), { object, owner: owner(object), bytes });
    sizeBytes += bytes;
    return known.size <= limits.maxObjects && sizeBytes <= limits.maxBytes;
  }

  function remove(uid: string): void {
    sizeBytes -= known.get(uid)?.bytes ?? 0;
    known.delete(uid);
  }

  function forget(): void {
    known.clear();
    sizeBytes = 0;
    isListed = false;
  }

  async function readExchanging(): Promise<void> {
    const now = new Set(await listExchanging());
    if (now.size === exchanging.size && [...now].every((cluster) => exchanging.has(cluster))) return;
    exchanging = now;
    for (const [uid, { object, owner: before, bytes }] of known) {
      const after = owner(object);
      if (after === before) continue;
      known.set(uid, { object, owner: after, bytes });
      tell(object, before, after);
    }
  }

  function owner(object: GitopsObject): string | undefined {
    return ownerOf(object, rules, (cluster) => exchanging.has(cluster));
  }

  function ownedBy(cluster: string): GitopsObject[] {
    return [...known.values()].flatMap((each) => (each.owner === cluster ? [each.object] : []));
  }

  /** Clusters keep what they have. It is said once, and not for each of them. */
  function fail(reason: string): void {
    if (reason === failure) return;
    failure = reason;
    log.warn({ reason }, "applications that name a cluster can't be read; none of them is deleted for it");
  }

  function warn(error: unknown): void {
    log.warn({ err: error }, "which clusters exchange applications can't be read now");
  }
}

interface Known {
  readonly object: GitopsObject;
  readonly owner: string | undefined;
  readonly bytes: number;
}

function uidOf({ metadata: { uid = "" } }: GitopsObject): string {
  return uid;
}

const usualLimits: DestinedLimits = { maxObjects: 20_000, maxBytes: 256 * 1024 * 1024 };
const readEveryMs = 5_000;
const againMs = 30_000;
