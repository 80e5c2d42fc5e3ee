// A kind, in all namespaces or in those of a list: a reflector for each. Together they are told as one: the kind is
// listed when all of them are, and unavailable when one of them is. When one has to list again, all do, because the
// handler is told either a whole list of the kind or a change.
import { Backoff, type Clock, type FairleadError, onAbort, sleep } from "@fairlead/kernel";
import {
  type ApiResource,
  type KubeClient,
  type ObjectEvents,
  type ReflectorHandler,
  type ReflectorState,
  runReflector,
} from "@fairlead/kube";

export interface WatchKindOptions {
  readonly client: KubeClient;
  readonly resource: ApiResource;
  /** Empty: all. */
  readonly namespaces: readonly string[];
  readonly labelSelector?: string | undefined;
  readonly sink: ObjectEvents;
  readonly onAlive: (agoMs: number) => void;
  readonly onUnavailable: (error: FairleadError) => void;
  /** It is listed, or it can't be: whoever waits for that goes on. */
  readonly onSettled: () => void;
  readonly clock: Clock;
  readonly log: WatchLog;
  readonly signal: AbortSignal;
  readonly runReflector?: typeof runReflector;
}

export interface WatchLog {
  warn(fields: object, message: string): void;
}

/** Until the signal aborts. */
export async function watchKind(options: WatchKindOptions): Promise<void> {
  const { signal, clock, log, resource } = options;
  const backoff = new Backoff({ baseMs: 2_000, maxMs: 60_000 });
  while (!signal.aborted) {
    try {
      await new Round(options).run();
      backoff.reset();
    } catch (error) {
      // A fault of our own making: the reflector itself never gives up.
      log.warn({ err: error, kind: resource.kind, group: resource.group }, "observing a kind failed and begins again");
    }
    await sleep(minRestartMs + backoff.nextMs(), { clock, signal }).catch(() => undefined);
  }
}

interface Scope {
  readonly namespace: string | undefined;
  /** A list began of which nothing was told yet. */
  isStarting: boolean;
  hasNamed: boolean;
  isListed: boolean;
  failures: number;
  /** It can't be read. */
  isFailing: boolean;
  aliveAtMs: number | undefined;
}

/** From a whole list on, until all has to be listed again. */
class Round {
  readonly #options: WatchKindOptions;
  readonly #over = new AbortController();
  readonly #scopes: readonly Scope[];
  #isBegun = false;
  #isUnavailable = false;
  /** A list that is told after the fact: changes wait for it. */
  #telling: Promise<void> | undefined;

  constructor(options: WatchKindOptions) {
    this.#options = options;
    const namespaces = options.namespaces.length > 0 ? options.namespaces : [undefined];
    this.#scopes = namespaces.map((namespace) => ({
      namespace,
      isStarting: false,
      hasNamed: false,
      isListed: false,
      failures: 0,
      isFailing: false,
      aliveAtMs: undefined,
    }));
  }

  async run(): Promise<void> {
    const { client, resource, labelSelector, clock, signal, runReflector: run = runReflector } = this.#options;
    using _listening = onAbort(signal, (reason) => this.#over.abort(reason));
    try {
      await Promise.all(
        this.#scopes.map((scope) => {
          const handler = this.#handlerOf(scope);
          const { namespace } = scope;
          return run({ client, resource, namespace, labelSelector, handler, clock, signal: this.#over.signal });
        }),
      );
    } finally {
      this.#over.abort();
    }
  }

  get #isSingle(): boolean {
    return this.#scopes.length === 1;
  }

  /** Nothing is told of a kind that is unavailable: the list that follows tells all. */
  get #isMute(): boolean {
    return this.#isOver || this.#isUnavailable;
  }

  get #isOver(): boolean {
    return this.#over.signal.aborted;
  }

  #restart(): void {
    this.#over.abort();
  }

  #handlerOf(scope: Scope): ReflectorHandler {
    const { sink } = this.#options;
    return {
      onListStart: () => {
        scope.isStarting = true;
      },
      onObject: (object) => {
        this.#begin(scope);
        if (this.#isMute) return;
        scope.hasNamed = true;
        return sink.onObject(object);
      },
      onListed: () => {
        this.#begin(scope);
        if (!this.#isOver) this.#listed(scope);
      },
      onApplied: (object) => this.#tell(() => sink.onApplied(object)),
      onDeleted: (object) => this.#tell(() => sink.onDeleted(object)),
      onAlive: () => this.#alive(scope),
      onState: (state) => this.#stateChanged(scope, state),
    };
  }

  /** Told late, with the first object or the end of the list: a list that is refused at once isn't one. */
  #begin(scope: Scope): void {
    if (!scope.isStarting) return;
    scope.isStarting = false;
    if (!this.#isSingle) {
      const isAgain = scope.isListed || scope.hasNamed || scope.isFailing;
      if (isAgain) this.#restart();
      if (isAgain || this.#isBegun || this.#isUnavailable) return;
    }
    this.#isBegun = true;
    this.#isUnavailable = false;
    scope.isListed = false;
    scope.isFailing = false;
    this.#options.sink.onListStart();
  }

  #tell(change: () => void | Promise<void>): void | Promise<void> {
    const tell = (): void | Promise<void> => (this.#isMute ? undefined : change());
    return this.#telling ? this.#telling.then(tell) : tell();
  }

  #listed(scope: Scope): void {
    scope.isListed = true;
    scope.failures = 0;
    if (this.#isMute || !this.#scopes.every(({ isListed }) => isListed)) return;
    const { sink, onSettled } = this.#options;
    const told = sink.onListed();
    if (!told) {
      onSettled();
      return;
    }
    this.#telling = told.then(() => {
      this.#telling = undefined;
      onSettled();
    });
    this.#telling.catch(() => this.#restart());
  }

  #alive(scope: Scope): void {
    const nowMs = this.#options.clock.steadyMs();
    scope.aliveAtMs = nowMs;
    if (this.#isMute || this.#telling || !this.#scopes.every(({ isListed }) => isListed)) return;
    const times = this.#scopes.map(({ aliveAtMs = Number.NEGATIVE_INFINITY }) => aliveAtMs);
    this.#options.onAlive(nowMs - Math.min(nowMs, ...times));
  }

  #stateChanged(scope: Scope, state: ReflectorState): void {
    if (this.#isOver) return;
    // It goes on with changes, while what it missed of other states isn't known: a list says it.
    if (state.type === "live" && scope.isFailing) this.#restart();
    if (state.type !== "failing") return;
    scope.failures++;
    const isLasting = lasting.has(state.error.httpStatus);
    // A fault that passes by itself shows in the age of what was listed; a kind that was never listed has no age.
    if (!isLasting && (scope.isListed || scope.failures < patience)) return;
    scope.isFailing = true;
    if (this.#isUnavailable) return;
    this.#isUnavailable = true;
    this.#options.onUnavailable(state.error);
    this.#options.onSettled();
  }
}

const minRestartMs = 200;
const patience = 3;
/** Statuses: no right to it, no such kind here, not to be listed. */
const lasting = new Set([403, 404, 405]);
