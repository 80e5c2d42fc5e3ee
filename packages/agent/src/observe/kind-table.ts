// The kinds that are observed at this moment, each with its watch.
import { type Clock, Slots } from "@fairlead/kernel";
import {
  type ApiResource,
  isEventKind,
  type KubeClient,
  type KubeObject,
  type ObjectEvents,
  resourceKey,
} from "@fairlead/kube";
import type { KindChoice } from "./choose-kinds.ts";
import type { ObserveCounters } from "./counters.ts";
import { createEventSink, createObjectSink } from "./kind-sink.ts";
import { type Onlooker, showFirst } from "./onlooker.ts";
import { PrinterColumns } from "./printer-columns.ts";
import { type ProjectionRules, projectObject } from "./project.ts";
import type { ObservedKind, ObserveHandler } from "./types.ts";
import { type WatchLog, watchKind } from "./watch-kind.ts";

export interface KindTableOptions {
  readonly client: KubeClient;
  readonly choice: KindChoice;
  readonly labelSelector?: string | undefined;
  readonly rules: ProjectionRules;
  readonly counters: ObserveCounters;
  readonly onlooker?: Onlooker | undefined;
  readonly handler: ObserveHandler;
  /** The kinds may have changed. */
  readonly nudge: () => void;
  readonly clock: Clock;
  readonly log: WatchLog;
  readonly signal: AbortSignal;
}

interface ActiveKind {
  readonly resource: ApiResource;
  readonly stopping: AbortController;
  readonly ended: Promise<void>;
  told: string;
  isSettled: boolean;
}

export class KindTable {
  readonly #options: KindTableOptions;
  readonly #kinds = new Map<string, ActiveKind>();
  /** Keys that the last look lacked. */
  #missed: ReadonlySet<string> = new Set();
  readonly #columns = new PrinterColumns();
  /** Many lists at once would hold many pages at once. */
  readonly #slots = new Slots(listsAtOnce);
  #isFilled = false;

  constructor(options: KindTableOptions) {
    this.#options = options;
  }

  /** Each kind was listed, or can't be. */
  get isSettled(): boolean {
    return this.#isFilled && [...this.#kinds.values()].every(({ isSettled }) => isSettled);
  }

  resourceOf(key: string): ApiResource | undefined {
    return this.#kinds.get(key)?.resource;
  }

  /**
   * `unknown`: groups of which nobody can say now what they have; their kinds stay what they are. A kind is gone when two
   * looks in a row lack it: an API server that has just started is ready before it knows the kinds of all its CRDs.
   * Returns whether a kind was lacking for the first time: look again soon.
   */
  update(chosen: readonly ApiResource[], unknown: ReadonlySet<string>): { readonly isToConfirm: boolean } {
    const keys = new Set(chosen.map(resourceKey));
    const missed = new Set<string>();
    for (const [key, { resource }] of this.#kinds) {
      if (keys.has(key) || unknown.has(resource.group)) continue;
      if (this.#missed.has(key)) this.#drop(key);
      else missed.add(key);
    }
    this.#missed = missed;
    for (const resource of chosen) {
      const key = resourceKey(resource);
      const active = this.#kinds.get(key);
      if (active && isSameApi(active.resource, resource)) continue;
      active?.stopping.abort();
      this.#start(key, resource);
    }
    this.#isFilled = true;
    return { isToConfirm: missed.size > 0 };
  }

  async close(): Promise<void> {
    for (const { stopping } of this.#kinds.values()) stopping.abort();
    await Promise.all([...this.#kinds.values()].map(({ ended }) => ended));
  }

  #drop(key: string): void {
    this.#kinds.get(key)?.stopping.abort();
    this.#kinds.delete(key);
    this.#options.handler.onKindGone(key);
  }

  #start(key: string, resource: ApiResource): void {
    const stopping = new AbortController();
    const active: ActiveKind = {
      resource,
      stopping,
      ended: Promise.resolve().then(() => this.#watch(key, active)),
      told: "",
      isSettled: false,
    };
    this.#kinds.set(key, active);
    this.#introduce(key);
  }

  /** Tells of the kind, if there's something new to tell. */
  #introduce(key: string): void {
    const active = this.#kinds.get(key);
    if (!active) return;
    const kind = describeKind(key, active.resource, this.#columns.of(key, active.resource.version));
    const told = JSON.stringify(kind);
    if (told === active.told) return;
    active.told = told;
    this.#options.handler.onKind(kind);
  }

  async #watch(key: string, active: ActiveKind): Promise<void> {
    const { client, choice, labelSelector, handler, nudge, clock, log } = this.#options;
    const { resource, stopping } = active;
    const leave = await this.#slots.enter();
    const settle = (): void => {
      active.isSettled = true;
      leave();
    };
    await watchKind({
      client,
      resource,
      clock,
      log,
      signal: stopping.signal,
      namespaces: resource.namespaced ? choice.namespaces : [],
      labelSelector: resource.namespaced ? labelSelector : undefined,
      sink: this.#sinkOf(key, resource),
      onAlive: (agoMs) => handler.onAlive(key, agoMs),
      onUnavailable: (error) => {
        const { code, message, httpStatus } = error;
        log.warn({ kind: key, code, reason: message }, "a kind can't be read; its objects are unknown until it can");
        handler.onUnavailable(key, { code, message });
        if (httpStatus === 404) nudge();
      },
      onSettled: settle,
    }).finally(leave);
  }

  #sinkOf(key: string, resource: ApiResource): ObjectEvents {
    const { handler, rules, counters, onlooker } = this.#options;
    const project = (of: ApiResource, object: KubeObject) => projectObject(of, object, rules);
    const create = isEventKind(key) ? createEventSink : createObjectSink;
    const plain = create({ key, resource, handler, project });
    const sink = counted(onlooker ? showFirst(key, plain, onlooker) : plain, counters);
    if (key === "apiservices.apiregistration.k8s.io") return { ...sink, ...this.#nudging(sink) };
    return key === "customresourcedefinitions.apiextensions.k8s.io" ? this.#learning(sink) : sink;
  }

  #nudging(sink: ObjectEvents): Pick<ObjectEvents, "onApplied" | "onDeleted"> {
    return {
      onApplied: (object) => {
        this.#options.nudge();
        return sink.onApplied(object);
      },
      onDeleted: (object) => {
        this.#options.nudge();
        return sink.onDeleted(object);
      },
    };
  }

  #learning(sink: ObjectEvents): ObjectEvents {
    const nudging = this.#nudging(sink);
    const learn = (crd: KubeObject): void => {
      if (this.#columns.learn(crd)) this.#introduce(crd.metadata.name);
    };
    return {
      ...sink,
      onObject: (crd) => {
        learn(crd);
        return sink.onObject(crd);
      },
      onApplied: (crd) => {
        learn(crd);
        return nudging.onApplied(crd);
      },
      onDeleted: (crd) => {
        this.#columns.forget(crd.metadata.name);
        return nudging.onDeleted(crd);
      },
    };
  }
}

function counted(sink: ObjectEvents, counters: ObserveCounters): ObjectEvents {
  return {
    onListStart() {
      counters.lists++;
      sink.onListStart();
    },
    onObject(object) {
      counters.listed++;
      return sink.onObject(object);
    },
    onListed: () => sink.onListed(),
    onApplied(object) {
      counters.applied++;
      return sink.onApplied(object);
    },
    onDeleted(object) {
      counters.deleted++;
      return sink.onDeleted(object);
    },
  };
}

function describeKind(key: string, resource: ApiResource, printerColumns: unknown): ObservedKind {
  const { group, version, kind, namespaced, shortNames } = resource;
  const columns = printerColumns === undefined ? {} : { printerColumns };
  return { key, group, version, resource: resource.resource, kind, namespaced, shortNames, ...columns };
}

function isSameApi(a: ApiResource, b: ApiResource): boolean {
  return a.version === b.version && a.kind === b.kind && a.namespaced === b.namespaced;
}

const listsAtOnce = 3;
