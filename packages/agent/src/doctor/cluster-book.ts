// Keeps observed objects for examinations: the kinds that checks look at, and the fields that they need. Bounded in
// objects and bytes. A kind that goes beyond is hidden as a whole, not shortened.
import type { Sighting } from "@fairlead/doctor";
import type { Clock } from "@fairlead/kernel";
import type { KubeObject } from "@fairlead/kube";
import type { Onlooker } from "../observe/index.ts";
import { HeldObject, HeldSighting } from "./held-sighting.ts";
import type { Urgency } from "./schedule.ts";
import { toSlim } from "./slim.ts";

interface Page {
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

export class ClusterBook implements Onlooker {
  readonly #pages = new Map<string, Page>();
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
    return this.#pages.has(key);
  }

  /** Undefined when the kind isn't watched. */
  look(key: string): Sighting | undefined {
    const page = this.#pages.get(key);
    if (!page) return undefined;
    if (page.unavailable !== undefined) return { is: "hidden", why: page.unavailable };
    if (page.isTooLarge) return { is: "hidden", why: "there are more than the agent keeps in memory" };
    if (!page.isListed) return { is: "hidden", why: "it is being listed" };
    page.sighting ??= new HeldSighting(page.objects.values(), { isRead: stayRead.has(key) });
    return page.sighting;
  }

  /** Lets go of objects that were read for an examination: they take many times what the book holds of them. */
  rest(): void {
    for (const { sighting } of this.#pages.values()) sighting?.forget();
  }

  /** How long ago the API server showed of the last of all that it is whole. */
  oldestMs(): number {
    const nowMs = this.#clock.now();
    const seen = [...this.#pages.values()].filter(({ isListed, unavailable }) => isListed && unavailable === undefined);
    return Math.max(0, ...seen.map(({ aliveAtMs }) => nowMs - aliveAtMs));
  }

  onListStart(key: string): void {
    if (!isLookedAt(key)) return;
    const page = this.#pageOf(key);
    page.named = new Set();
    page.isTooLarge = false;
  }

  onObject(key: string, object: KubeObject): void {
    this.onApplied(key, object);
  }

  onListed(key: string): void {
    const page = this.#pages.get(key);
    if (!page) return;
    for (const uid of page.objects.keys()) if (page.named?.has(uid) === false) this.#remove(page, uid);
    page.named = undefined;
    page.isListed = true;
    page.unavailable = undefined;
    page.aliveAtMs = this.#clock.now();
    this.#onChange("soon");
  }

  onApplied(key: string, object: KubeObject): void {
    if (!isLookedAt(key)) return;
    const page = this.#pageOf(key);
    const { uid } = object.metadata;
    page.named?.add(uid);
    if (page.isTooLarge) return;
    const slim = toSlim(key, object);
    const before = page.objects.get(uid);
    if (before?.json === slim) return;
    this.#remove(page, uid);
    this.#heldBytes += slim.length + entryBytes;
    page.objects.set(uid, new HeldObject(slim));
    page.sighting = undefined;
    if (this.#heldBytes > this.#maxBytes) this.#giveUp(page);
    this.#onChange(urgencyOf(key));
  }

  onDeleted(key: string, { metadata }: KubeObject): void {
    const page = this.#pages.get(key);
    if (page?.objects.has(metadata.uid) !== true) return;
    this.#remove(page, metadata.uid);
    this.#onChange(urgencyOf(key));
  }

  onKindGone(key: string): void {
    const page = this.#pages.get(key);
    if (!page) return;
    for (const uid of page.objects.keys()) this.#remove(page, uid);
    this.#pages.delete(key);
    this.#onChange("soon");
  }

  onUnavailable(key: string, { message }: { readonly message: string }): void {
    if (!isLookedAt(key)) return;
    const page = this.#pageOf(key);
    for (const uid of page.objects.keys()) this.#remove(page, uid);
    Object.assign(page, { unavailable: message, isListed: false, isTooLarge: false, named: undefined });
    this.#onChange("soon");
  }

  onAlive(key: string, agoMs = 0): void {
    const page = this.#pages.get(key);
    if (page) page.aliveAtMs = Math.max(page.aliveAtMs, this.#clock.now() - agoMs);
  }

  #pageOf(key: string): Page {
    const known = this.#pages.get(key);
    if (known) return known;
    const page: Page = {
      objects: new Map(),
      sighting: undefined,
      named: undefined,
      isListed: false,
      unavailable: undefined,
      isTooLarge: false,
      aliveAtMs: this.#clock.now(),
    };
    this.#pages.set(key, page);
    return page;
  }

  #giveUp(page: Page): void {
    for (const uid of page.objects.keys()) this.#remove(page, uid);
    page.isTooLarge = true;
  }

  #remove(page: Page, uid: string): void {
    const held = page.objects.get(uid);
    if (!held) return;
    this.#heldBytes -= held.json.length + entryBytes;
    page.objects.delete(uid);
    page.sighting = undefined;
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
