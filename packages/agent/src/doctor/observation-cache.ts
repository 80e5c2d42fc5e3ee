// Keeps observed objects for examinations: the kinds that checks look at, and the fields that they need. Bounded in
// objects and bytes. A kind that goes beyond is hidden as a whole, not shortened.
import type { Sighting } from "@fairlead/doctor";
import type { Clock } from "@fairlead/kernel";
import type { KubeObject } from "@fairlead/kube";
import type { Onlooker } from "../observe/index.ts";
import { HeldObject, HeldSighting } from "./held-sighting.ts";
import type { Urgency } from "./schedule.ts";
import { toSlim } from "./slim.ts";

interface CachedKind {
  readonly objects: Map<string, HeldObject>;
  /** As long as nothing changes it is the same, which says so. */
  sighting: HeldSighting | undefined;
  /** Set while a list is under way: what it named. */
  named: Set<string> | undefined;
  isListed: boolean;
  unavailable: string | undefined;
  isTooLarge: boolean;
  aliveAtMs: number;
}

export class ObservationCache implements Onlooker {
  readonly #kinds = new Map<string, CachedKind>();
  readonly #clock: Clock;
  readonly #onChange: (urgency: Urgency) => void;
  readonly #maxBytes: number;
  #heldBytes = 0;

  constructor(options: {
    readonly clock: Clock;
    readonly onChange: (urgency: Urgency) => void;
    readonly maxBytes?: number;
  }) {
    this.#clock = options.clock;
    this.#onChange = options.onChange;
    this.#maxBytes = options.maxBytes ?? maxHeldBytes;
  }

  has(key: string): boolean {
    return this.#kinds.has(key);
  }

  /** Undefined when the kind isn't watched. */
  look(key: string): Sighting | undefined {
    const kind = this.#kinds.get(key);
    if (!kind) return undefined;
    if (kind.unavailable !== undefined) return { is: "hidden", why: kind.unavailable };
    if (kind.isTooLarge) return { is: "hidden", why: "there are more objects than the agent keeps in memory" };
    if (!kind.isListed) return { is: "hidden", why: "the agent is still listing it" };
    kind.sighting ??= new HeldSighting(kind.objects.values(), { isRead: stayRead.has(key) });
    return kind.sighting;
  }

  /** Lets go of objects that were read for an examination: they take many times what the cache holds of them. */
  rest(): void {
    for (const { sighting } of this.#kinds.values()) sighting?.forget();
  }

  /** How long ago the API server showed of the last of all that it is whole. */
  oldestMs(): number {
    const nowMs = this.#clock.steadyMs();
    const seen = [...this.#kinds.values()].filter(({ isListed, unavailable }) => isListed && unavailable === undefined);
    return Math.max(0, ...seen.map(({ aliveAtMs }) => nowMs - aliveAtMs));
  }

  onListStart(key: string): void {
    if (!isLookedAt(key)) return;
    const kind = this.#pageOf(key);
    kind.named = new Set();
    kind.isTooLarge = false;
  }

  onObject(key: string, object: KubeObject): void {
    this.onApplied(key, object);
  }

  onListed(key: string): void {
    const kind = this.#kinds.get(key);
    if (!kind) return;
    for (const uid of kind.objects.keys()) if (kind.named?.has(uid) === false) this.#remove(kind, uid);
    kind.named = undefined;
    kind.isListed = true;
    kind.unavailable = undefined;
    kind.aliveAtMs = this.#clock.steadyMs();
    this.#onChange("soon");
  }

  onApplied(key: string, object: KubeObject): void {
    if (!isLookedAt(key)) return;
    const kind = this.#pageOf(key);
    const { uid } = object.metadata;
    kind.named?.add(uid);
    if (kind.isTooLarge) return;
    const slim = toSlim(key, object);
    const before = kind.objects.get(uid);
    if (before?.json === slim) return;
    this.#remove(kind, uid);
    this.#heldBytes += slim.length + entryBytes;
    kind.objects.set(uid, new HeldObject(slim));
    kind.sighting = undefined;
    if (this.#heldBytes > this.#maxBytes) this.#giveUp(kind);
    this.#onChange(urgencyOf(key));
  }

  onDeleted(key: string, { metadata }: KubeObject): void {
    const kind = this.#kinds.get(key);
    if (kind?.objects.has(metadata.uid) !== true) return;
    this.#remove(kind, metadata.uid);
    this.#onChange(urgencyOf(key));
  }

  onKindGone(key: string): void {
    const kind = this.#kinds.get(key);
    if (!kind) return;
    for (const uid of kind.objects.keys()) this.#remove(kind, uid);
    this.#kinds.delete(key);
    this.#onChange("soon");
  }

  onUnavailable(key: string, { message }: { readonly message: string }): void {
    if (!isLookedAt(key)) return;
    const kind = this.#pageOf(key);
    for (const uid of kind.objects.keys()) this.#remove(kind, uid);
    Object.assign(kind, { unavailable: message, isListed: false, isTooLarge: false, named: undefined });
    this.#onChange("soon");
  }

  onAlive(key: string, agoMs = 0): void {
    const kind = this.#kinds.get(key);
    if (kind) kind.aliveAtMs = Math.max(kind.aliveAtMs, this.#clock.steadyMs() - agoMs);
  }

  #pageOf(key: string): CachedKind {
    const known = this.#kinds.get(key);
    if (known) return known;
    const kind: CachedKind = {
      objects: new Map(),
      sighting: undefined,
      named: undefined,
      isListed: false,
      unavailable: undefined,
      isTooLarge: false,
      aliveAtMs: this.#clock.steadyMs(),
    };
    this.#kinds.set(key, kind);
    return kind;
  }

  #giveUp(kind: CachedKind): void {
    for (const uid of kind.objects.keys()) this.#remove(kind, uid);
    kind.isTooLarge = true;
  }

  #remove(kind: CachedKind, uid: string): void {
    const held = kind.objects.get(uid);
    if (!held) return;
    this.#heldBytes -= held.json.length + entryBytes;
    kind.objects.delete(uid);
    kind.sighting = undefined;
  }
}

function isLookedAt(key: string): boolean {
  return !neverLookedAt.has(key);
}

/** Pods come and go all the time, and decide little. */
function urgencyOf(key: string): Urgency {
  return key === "pods" || key === "nodes" ? "later" : "soon";
}

/** No check may read them whole, or they are many and no check asks for them often. */
const neverLookedAt: ReadonlySet<string> = new Set([
  "secrets",
  "configmaps",
  "events",
  "events.events.k8s.io",
  "replicasets.apps",
  "jobs.batch",
  "cronjobs.batch",
  "endpointslices.discovery.k8s.io",
  "limitranges",
  "workflows.argoproj.io",
  "certificaterequests.cert-manager.io",
]);
/** Checks look at them each time, and few of many have changed since. Pods are looked at in parts that are kept instead. */
const stayRead: ReadonlySet<string> = new Set([
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "services",
  "nodes",
]);
const maxHeldBytes = 32 * 1024 * 1024;
const entryBytes = 128;
