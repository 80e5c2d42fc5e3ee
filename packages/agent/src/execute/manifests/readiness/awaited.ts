import type { Clock } from "@fairlead/kernel";
import { isOlder, type KubeObject } from "@fairlead/kube";
import type { Target } from "../prepare/target.ts";
import { judgeReadiness } from "./judge.ts";
import { failing, type Readiness } from "./readiness.ts";

export interface AwaitedObject {
  readonly target: Target;
  /** As it was applied. */
  readonly uid: string;
  readonly generation: number;
  /** The newest one that is known: what was before says nothing. */
  resourceVersion: string;
  readiness: Readiness;
}

/** The objects that aren't ready yet, by what is known of them. */
export class Awaited {
  readonly #clock: Clock;
  readonly #objects = new Map<string, AwaitedObject>();
  readonly #empty = Promise.withResolvers<void>();
  /** Since when nothing is awaited but what has failed. */
  #failedSinceMs: number | undefined;

  constructor(applied: readonly { readonly target: Target; readonly object: KubeObject }[], clock: Clock) {
    this.#clock = clock;
    for (const { target, object } of applied) {
      const readiness = judgeReadiness(object);
      if (readiness.type === "ready") continue;
      const { uid, generation = 0, resourceVersion } = object.metadata;
      this.#objects.set(target.key, { target, uid, generation, resourceVersion, readiness });
    }
    this.#settle();
  }

  /** All are ready, or those that aren't have failed, and didn't mend themselves for a while. */
  get isOver(): boolean {
    if (this.#objects.size === 0) return true;
    return this.#failedSinceMs !== undefined && this.#clock.steadyMs() - this.#failedSinceMs >= mendMs;
  }

  objects(): AwaitedObject[] {
    return [...this.#objects.values()];
  }

  left(): ReadonlyMap<string, Readiness> {
    return new Map(this.objects().map(({ target, readiness }) => [target.key, readiness]));
  }

  /** Resolves when all are ready. */
  untilEmpty(): Promise<void> {
    return this.#empty.promise;
  }

  /** Takes a state from a watch. Ignores objects that aren't awaited, and states older than the last one. */
  see(key: string, object: KubeObject): void {
    const awaited = this.#objects.get(key);
    if (!awaited) return;
    const { uid, resourceVersion } = object.metadata;
    if (uid === awaited.uid && isOlder(resourceVersion, awaited.resourceVersion)) return;
    this.#take(awaited, object);
  }

  /**
   * What a read has found is the truth, whatever its version: those of a cluster that was restored from a backup begin
   * lower. `resourceVersion` is the one that was known when the read began; what a watch has told since is newer.
   */
  know(key: string, found: KubeObject | undefined, { resourceVersion }: Pick<AwaitedObject, "resourceVersion">): void {
    const awaited = this.#objects.get(key);
    if (!awaited || awaited.resourceVersion !== resourceVersion) return;
    if (found) this.#take(awaited, found);
    else this.miss(key);
  }

  miss(key: string): void {
    const awaited = this.#objects.get(key);
    if (awaited) this.#put(awaited, failing("somebody deleted it"));
  }

  #take(awaited: AwaitedObject, object: KubeObject): void {
    const { uid, generation = 0, resourceVersion } = object.metadata;
    if (uid !== awaited.uid) {
      this.#put(awaited, failing("somebody deleted it and made another one"));
      return;
    }
    awaited.resourceVersion = resourceVersion;
    // It only grows, unless the cluster is restored.
    const isUndone = generation < awaited.generation;
    this.#put(
      awaited,
      isUndone ? failing("the cluster was put back to before it was applied") : judgeReadiness(object),
    );
  }

  #put(awaited: AwaitedObject, readiness: Readiness): void {
    awaited.readiness = readiness;
    if (readiness.type === "ready") this.#objects.delete(awaited.target.key);
    this.#settle();
  }

  #settle(): void {
    if (this.#objects.size === 0) this.#empty.resolve();
    const hasFailed = this.objects().every(({ readiness }) => readiness.type === "failed");
    this.#failedSinceMs = hasFailed ? (this.#failedSinceMs ?? this.#clock.steadyMs()) : undefined;
  }
}

/** A pod that ends over and over may come right. */
const mendMs = 10_000;
