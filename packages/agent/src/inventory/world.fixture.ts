// A cluster, an agent's engine, a cable and a hub, each moved by hand one small step at a time, so that a test can stop,
// cut or lose any of them between any two messages.
import { toVersion } from "@fairlead/protocol";
import type { ObjectRef, ObservedKind, ObservedObject } from "../observe/index.ts";
import type { KindSync } from "./kind-sync.ts";
import { LocalInventory } from "./local-inventory.ts";
import type { FromHub, ToHub } from "./messages.ts";
import { ModelCall, ModelStore } from "./model-hub.fixture.ts";
import { SyncSession } from "./session.ts";

export type WorldEvent =
  | { readonly type: "applied"; readonly object: ObservedObject }
  | { readonly type: "deleted"; readonly uid: string };

/** A kind at the API server, and how far the agent's reflector has come with it. */
interface SourceKind {
  readonly description: ObservedKind;
  readonly objects: Map<string, ObservedObject>;
  /** Watch events on their way to the agent. */
  events: WorldEvent[];
  /** A list on its way: what is left of it. Undefined: the watch goes on. */
  list: ObservedObject[] | undefined;
  isListed: boolean;
  isHeldUp: boolean;
  isObserved: boolean;
}

interface Fetch {
  readonly session: SyncSession;
  readonly sync: KindSync;
  readonly refs: ObjectRef[];
  /** The API server's answer at the moment it was asked; it may be old news when it arrives. */
  readonly found: ReadonlyMap<string, ObservedObject>;
}

export interface WorldOptions {
  readonly kinds?: number;
  readonly maxHeldBytes?: number;
  readonly maxUnackedBytes?: number;
}

export class World {
  readonly store: ModelStore = new ModelStore();
  readonly kinds: SourceKind[];
  readonly #options: WorldOptions;
  local!: LocalInventory;
  session: SyncSession | undefined;
  call: ModelCall | undefined;
  toHub: ToHub[] = [];
  toAgent: FromHub[] = [];
  fetches: Fetch[] = [];
  nowMs = 1_000_000;
  sentMessages = 0;
  drifts: string[] = [];
  #revision = 0;

  constructor(options: WorldOptions = {}) {
    this.#options = options;
    this.kinds = Array.from({ length: options.kinds ?? 3 }, (_, at) => ({
      description: describeKind(at),
      objects: new Map(),
      events: [],
      list: undefined,
      isListed: false,
      isHeldUp: false,
      isObserved: true,
    }));
    this.restartAgent();
  }

  kind(at: number): SourceKind {
    return this.kinds[at % this.kinds.length] as SourceKind;
  }

  apply(at: number, number: number, sizeBytes = 0): void {
    const kind = this.kind(at);
    const uid = uidOf(at % this.kinds.length, number);
    const name = `object-${number}`;
    const text = JSON.stringify({ uid, name, revision: ++this.#revision, padding: "x".repeat(sizeBytes) });
    const json = new TextEncoder().encode(text);
    const object = { uid, namespace: "default", name, version: toVersion(json), json };
    kind.objects.set(uid, object);
    kind.events.push({ type: "applied", object });
  }

  delete(at: number, number: number): void {
    const kind = this.kind(at);
    const uid = uidOf(at % this.kinds.length, number);
    if (kind.objects.delete(uid)) kind.events.push({ type: "deleted", uid });
  }

  /** The watch is lost: whatever it had to say comes by another list. */
  relist(at: number): void {
    const kind = this.kind(at);
    if (!kind.isObserved || kind.isHeldUp) return;
    kind.list = [...kind.objects.values()];
    kind.events = [];
    this.local.onListStart(kind.description.key);
  }

  /** Brings the reflector forward: one object of a list, or one event. False: there is nothing, or it waits. */
  async observe(at: number): Promise<boolean> {
    const kind = this.kind(at);
    const { key } = kind.description;
    if (!kind.isObserved || kind.isHeldUp) return false;
    if (!kind.isListed && kind.list === undefined) this.relist(at);
    if (kind.list) {
      const object = kind.list.shift();
      if (object === undefined) {
        kind.list = undefined;
        kind.isListed = true;
        this.local.onListed(key);
        return true;
      }
      const wait = this.local.onObject(key, object);
      if (wait) {
        kind.isHeldUp = true;
        const { local } = this;
        void wait.then(() => {
          if (local === this.local) kind.isHeldUp = false;
        });
      }
      return true;
    }
    const event = kind.events.shift();
    if (event?.type === "applied") this.local.onApplied(key, event.object);
    if (event?.type === "deleted") this.local.onDeleted(key, event.uid);
    return event !== undefined;
  }

  /** An event that the agent has seen already comes again. */
  repeat(at: number, number: number): void {
    const kind = this.kind(at);
    if (!kind.isListed || kind.list || kind.events.length > 0 || !kind.isObserved) return;
    const object = kind.objects.get(uidOf(at % this.kinds.length, number));
    if (object) this.local.onApplied(kind.description.key, object);
  }

  unavailable(at: number): void {
    const kind = this.kind(at);
    if (!kind.isObserved || kind.isHeldUp) return;
    kind.list = undefined;
    kind.isListed = false;
    this.local.onUnavailable(kind.description.key, { code: "KUBE_FORBIDDEN", message: "not allowed" });
  }

  setObserved(at: number, isObserved: boolean): void {
    const kind = this.kind(at);
    if (kind.isObserved === isObserved || kind.isHeldUp) return;
    Object.assign(kind, { isObserved, list: undefined, isListed: false, events: [] });
    if (isObserved) this.local.onKind(kind.description);
    else this.local.onKindGone(kind.description.key);
  }

  /** The process begins anew and knows nothing. */
  restartAgent(): void {
    this.cut();
    const clock = { now: () => this.nowMs, steadyMs: () => this.nowMs, after: () => () => undefined };
    const { maxHeldBytes } = this.#options;
    this.local = new LocalInventory({ clock, ...(maxHeldBytes && { maxHeldBytes }) });
    for (const kind of this.kinds) {
      Object.assign(kind, { list: undefined, isListed: false, isHeldUp: false, events: [] });
      if (kind.isObserved) this.local.onKind(kind.description);
    }
    this.local.onKindsComplete();
    this.fetches = [];
  }

  connect(): void {
    if (this.session) return;
    this.session = new SyncSession({
      start: { kubeSystemUid: "k", agentInstanceId: "a", leaseEpoch: 1n },
      bodies: this.local.bodies,
      nowMs: () => this.nowMs,
      wallMs: () => this.nowMs,
      onWork: () => undefined,
      onDrift: (key) => this.drifts.push(key),
    });
    this.call = new ModelCall(this.store, this.#options.maxUnackedBytes ?? 4_000);
    this.local.attach(this.session);
  }

  /** Loses all that is on its way. */
  cut(): void {
    if (this.session) this.local.detach(this.session);
    this.session = undefined;
    this.call = undefined;
    this.toHub = [];
    this.toAgent = [];
  }

  agentSends(): boolean {
    const message = this.session?.next();
    if (message === undefined) return false;
    this.sentMessages++;
    this.toHub.push(message);
    return true;
  }

  hubTakes(): boolean {
    const message = this.toHub.shift();
    if (message === undefined || this.call === undefined) return false;
    this.toAgent.push(...this.call.take(message));
    return true;
  }

  agentTakes(): boolean {
    const message = this.toAgent.shift();
    if (message === undefined) return false;
    this.session?.receive(message);
    return true;
  }

  fetch(isAnswered: boolean): boolean {
    const { session } = this;
    if (session === undefined) return false;
    const wanted = session.nextWanted((key) => this.fetches.some((fetch) => isOf(fetch, session, key)));
    if (wanted) {
      const kind = this.kinds.find(({ description }) => description.key === wanted.sync.key);
      this.fetches.push({ session, ...wanted, found: new Map(kind?.objects) });
    }
    const fetch = this.fetches[0];
    if (fetch === undefined) return false;
    const ref = fetch.refs.shift();
    if (ref && isAnswered) this.local.fetched(fetch.sync, fetch.found.get(ref.uid) ?? { uid: ref.uid, gone: true });
    // The answer never comes.
    else if (ref) fetch.sync.dirty.unfetched([ref.uid]);
    if (fetch.refs.length === 0) this.fetches.shift();
    return true;
  }

  /** Everything comes to rest. */
  async settle(): Promise<void> {
    this.connect();
    if (!(await this.run(20_000))) throw new Error("it doesn't come to rest");
  }

  /** Messages go both ways until there are none; nothing else happens. */
  talk(): void {
    while (this.agentSends() || this.hubTakes() || this.agentTakes());
  }

  /** All that can move moves, so many times. True when it came to rest before. */
  async run(rounds: number): Promise<boolean> {
    for (let round = 0; round < rounds; round++) {
      let moved = false;
      for (let at = 0; at < this.kinds.length; at++) moved = (await this.observe(at)) || moved;
      for (const step of [this.agentSends, this.hubTakes, this.agentTakes]) moved = step.call(this) || moved;
      moved = this.fetch(true) || moved;
      await Promise.resolve();
      await Promise.resolve();
      if (!moved && this.kinds.every(({ isHeldUp }) => !isHeldUp)) return true;
    }
    return false;
  }

  /** The right contents of the hub. */
  truth(): Record<string, Record<string, bigint>> {
    return Object.fromEntries(
      this.kinds
        .filter(({ isObserved }) => isObserved)
        .map(({ description, objects }) => [
          description.key,
          Object.fromEntries([...objects.values()].map(({ uid, version }) => [uid, version])),
        ]),
    );
  }
}

function isOf(fetch: Fetch, session: SyncSession, key: string): boolean {
  return fetch.session === session && fetch.sync.key === key;
}

function describeKind(at: number): ObservedKind {
  return {
    key: `things-${at}.example`,
    group: "example",
    version: "v1",
    resource: `things-${at}`,
    kind: `Thing${at}`,
    namespaced: true,
    shortNames: [],
  };
}

function uidOf(kind: number, number: number): string {
  return `uid-${kind}-${number}`;
}
