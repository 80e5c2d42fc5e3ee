// Keeps a handler told of all objects of one kind: a whole list, then a watch that goes on from it for as long as the
// API server remembers where we were. Anything that isn't known for certain is listed anew; nothing is guessed.
import { type Clock, type FairleadError, isFairleadError, sleep, systemClock } from "@fairlead/kernel";
import { kubeErrors } from "../errors/index.ts";
import type { KubeObject } from "../objects/index.ts";
import { isOlder } from "../objects/index.ts";
import { listEach, openWatch, readPage, type WatchEvent } from "../read/index.ts";
import { ReflectorRetry } from "./retry.ts";
import type { ReflectorOptions, ReflectorState } from "./types.ts";

/** Resolves when the signal aborts. Rejects with what the handler throws. */
export async function runReflector(options: ReflectorOptions): Promise<void> {
  const reflector = new Reflector(options);
  try {
    while (!options.signal.aborted) await reflector.round();
  } catch (error) {
    if (!options.signal.aborted) throw error;
  }
}

interface Settled {
  readonly clock: Clock;
  readonly random: () => number;
  readonly silentMs: number;
}

class Reflector {
  readonly #options: ReflectorOptions & Settled;
  readonly #retry: ReflectorRetry;
  #state: ReflectorState["type"] | undefined;
  /** Where the next watch goes on; undefined: a list is due. */
  #resourceVersion: string | undefined;
  /** True once this API sent a bookmark: from then on silence means that the watch is dead. */
  #hasBookmarks = false;
  #mayStream: boolean;
  #skipsStreamingOnce = false;
  /** After the API server forgot the moment of a paged list: the next one comes in one piece. */
  #isListUnpaged = false;
  #isTaking = false;
  /** When the watch last said something, or began. */
  #heardAtMs = 0;
  /** Since when the API server couldn't be reached: after that its history may be another one. */
  #lostSinceMs: number | undefined;

  constructor(options: ReflectorOptions) {
    const { clock = systemClock, random = Math.random, silentMs = 100_000, isStreaming = true } = options;
    this.#options = { ...options, clock, random, silentMs };
    this.#mayStream = isStreaming;
    this.#retry = new ReflectorRetry(random);
  }

  /** A list and a watch, or a watch alone, up to its end or an error. */
  async round(): Promise<void> {
    try {
      if (this.#lostSinceMs !== undefined) await this.#checkHistory();
      if (this.#resourceVersion === undefined && (!this.#mayStream || this.#skipsStreamingOnce)) await this.#list();
      await this.#watch(this.#resourceVersion);
    } catch (error) {
      const { signal, clock } = this.#options;
      if (signal.aborted || !kubeErrors.is(error)) throw error;
      const retryInMs = this.#recover(error);
      if (retryInMs === 0) return;
      this.#enter({ type: "failing", error, retryInMs });
      await sleep(retryInMs, { clock, signal });
    }
  }

  async #list(): Promise<void> {
    const { handler, pageSize = defaultPageSize } = this.#options;
    this.#skipsStreamingOnce = false;
    const options = { ...this.#options, pageSize: this.#isListUnpaged ? 0 : pageSize, onOpen: () => this.#beginList() };
    try {
      this.#endList(await listEach(options, (object) => handler.onObject(object)));
    } catch (error) {
      this.#isListUnpaged = kubeErrors.is(error, "KUBE_GONE") && !this.#isListUnpaged;
      throw error;
    }
  }

  async #watch(resourceVersion: string | undefined): Promise<void> {
    const { client, clock, random } = this.#options;
    /** Carries an error of the handler, while nobody waits for it. */
    const failed = new AbortController();
    const signal = AbortSignal.any([this.#options.signal, failed.signal]);
    const timeoutSeconds = this.#options.watchTimeoutSeconds ?? Math.floor(300 + random() * 300);
    const startedAtMs = clock.steadyMs();
    let eventCount = 0;
    try {
      const events = await openWatch({ ...this.#options, signal, resourceVersion, timeoutSeconds });
      if (resourceVersion === undefined) {
        this.#beginList();
        eventCount += await this.#readInitial(events).catch((error) => leave(events, error));
      } else {
        this.#lostSinceMs = undefined;
        this.#enter({ type: "live" });
      }
      this.#heardAtMs = clock.steadyMs();
      using watched = new DisposableStack();
      watched.defer(client.pool.onAnswer(() => this.#answered(failed)));
      for await (const event of events) {
        eventCount++;
        await this.#take(event);
      }
    } catch (error) {
      if (this.#resourceVersion === undefined) this.#judgeStreaming(error);
      if (clock.steadyMs() - startedAtMs > lastingMs) this.#retry.reset();
      throw error;
    }
    // Some servers and proxies end watches at once, over and over.
    if (eventCount === 0 && clock.steadyMs() - startedAtMs < 1000)
      throw kubeErrors.KUBE_WATCH_CUT({ server: client.access.server.host });
    this.#retry.reset();
  }

  /** A watch that begins with the objects that are there: up to the bookmark after the last of them. */
  async #readInitial(events: AsyncGenerator<WatchEvent, void, void>): Promise<number> {
    const { client, handler } = this.#options;
    const deleted: KubeObject[] = [];
    for (let count = 1; ; count++) {
      // Not by `for await`, which would end the watch along with the loop.
      const { value: event } = await events.next();
      if (!event) throw kubeErrors.KUBE_WATCH_CUT({ server: client.access.server.host });
      if (event.type === "bookmark") {
        if (!event.isEndOfList) continue;
        this.#endList(event.resourceVersion);
        for (const object of deleted) await handler.onDeleted(object);
        return count;
      }
      if (event.type === "deleted") {
        deleted.push({ metadata: event.object.metadata, ...pickType(event.object) });
      } else {
        const taken = handler.onObject(event.object);
        if (taken) await taken;
      }
    }
  }

  async #take(event: WatchEvent): Promise<void> {
    const { handler, clock } = this.#options;
    this.#retry.reset();
    this.#heardAtMs = clock.steadyMs();
    if (event.type === "bookmark") {
      this.#hasBookmarks = true;
      if (event.resourceVersion !== "") this.#resourceVersion = event.resourceVersion;
    } else {
      const { object } = event;
      const taken = event.type === "deleted" ? handler.onDeleted(object) : handler.onApplied(object);
      if (taken) await this.#whileTaking(taken);
      this.#resourceVersion = object.metadata.resourceVersion;
    }
    handler.onAlive();
  }

  async #whileTaking(taken: Promise<void>): Promise<void> {
    this.#isTaking = true;
    await taken;
    this.#isTaking = false;
  }

  /**
   * The API server answers, the watch's connection is open and it said nothing: nothing happened. Not so when it just
   * spoke, since there may be more on the way, nor when it owes us a bookmark.
   */
  #answered(failed: AbortController): void {
    const { handler, clock } = this.#options;
    const quietMs = clock.steadyMs() - this.#heardAtMs;
    if (this.#isTaking || quietMs < restMs || (this.#hasBookmarks && quietMs > overdueMs)) return;
    try {
      handler.onAlive();
    } catch (error) {
      failed.abort(error);
    }
  }

  #beginList(): void {
    if (this.#state !== "listing") this.#enter({ type: "listing" });
    this.#options.handler.onListStart();
  }

  #endList(resourceVersion: string): void {
    const { handler } = this.#options;
    this.#resourceVersion = resourceVersion;
    this.#isListUnpaged = false;
    this.#lostSinceMs = undefined;
    handler.onListed(resourceVersion);
    this.#enter({ type: "live" });
    handler.onAlive();
  }

  #enter(state: ReflectorState): void {
    if (state.type === "live" && this.#state === "live") return;
    this.#state = state.type;
    this.#options.handler.onState(state);
  }

  /** Decides what is still known, and returns how long to wait. */
  #recover(error: FairleadError): number {
    const { clock } = this.#options;
    if (kubeErrors.is(error, "KUBE_GONE", "KUBE_NOT_FOUND")) this.#resourceVersion = undefined;
    if (kubeErrors.is(error, "KUBE_SILENT") && this.#hasBookmarks) this.#resourceVersion = undefined;
    if (error.httpStatus >= 500) this.#lostSinceMs ??= clock.steadyMs();
    return this.#retry.nextMs(error);
  }

  #judgeStreaming(error: unknown): void {
    if (!isFairleadError(error)) return;
    // Refused, or not understood at all: then the bookmark after the list never comes.
    if (error.httpStatus === 400 || error.httpStatus === 422 || kubeErrors.is(error, "KUBE_SILENT"))
      this.#mayStream = false;
    // The API server ends watches whose reader is slower than the changes come; pages may be read slowly.
    else if (this.#state === "listing") this.#skipsStreamingOnce = true;
  }

  /**
   * A cluster restored from a backup may be behind where we were, and would leave us waiting for it to come past. One that
   * was away for as long as a restore takes may have come past already, with other changes under the same numbers.
   */
  async #checkHistory(): Promise<void> {
    const { clock } = this.#options;
    const known = this.#resourceVersion;
    if (known === undefined || this.#lostSinceMs === undefined) return;
    const isLong = clock.steadyMs() - this.#lostSinceMs > maxLostMs;
    if (isLong || (await this.#isBehind(known))) this.#resourceVersion = undefined;
    this.#lostSinceMs = undefined;
  }

  async #isBehind(known: string): Promise<boolean> {
    const { resourceVersion } = await readPage({ ...this.#options, pageSize: 1 }, () => undefined);
    return isOlder(resourceVersion, known);
  }
}

async function leave(events: AsyncGenerator<unknown, void, void>, error: unknown): Promise<never> {
  await events.return();
  throw error;
}

function pickType({ apiVersion, kind }: KubeObject): Pick<KubeObject, "apiVersion" | "kind"> {
  return { ...(apiVersion !== undefined && { apiVersion }), ...(kind !== undefined && { kind }) };
}

const defaultPageSize = 500;
/** API servers send a bookmark each minute. */
const overdueMs = 75_000;
const restMs = 1000;
const lastingMs = 10_000;
/** An API server alone takes longer to start. */
const maxLostMs = 2_000;
