// The guard of one cluster's applications for as long as this hub owns its sync: what disappears on the source is told to
// the other side when the guard lets it go. What waits, and what was let go, outlives this hub in the database.
import { type Clock, repeat } from "@fairlead/kernel";
import type { ReplicaSource } from "@fairlead/protocol";
import type { DeletionHolds } from "./guard/index.ts";
import {
  type GuardEvent,
  type GuardRules,
  type GuardState,
  type Leaving,
  type LeavingApplication,
  leavingOf,
  nextGuardState,
  openGuard,
  restoreGuard,
} from "./guard/index.ts";
import type { SyncLog } from "./types.ts";

export interface GuardedDeletionsOptions {
  readonly cluster: string;
  readonly rules: GuardRules;
  readonly holds: DeletionHolds;
  readonly clock: Clock;
  readonly log: SyncLog;
}

/** What the guard looks at and acts on. It is connected once, before anything is told to the guard. */
export interface GuardPorts {
  /** The source of the flow whose deletions are guarded. */
  readonly source: Pick<ReplicaSource, "state" | "has" | "isSettled">;
  /** Uids of the applications that are there and aren't leaving, by NAMESPACE/NAME. */
  readonly present: () => ReadonlyMap<string, string>;
  /** Has it deleted on the other side. May be called again for the same one. */
  readonly letGo: (uid: string, name: string) => void;
}

export class GuardedDeletions {
  readonly #options: GuardedDeletionsOptions;
  #connected: GuardPorts | undefined;
  #state: GuardState = openGuard;
  /** Not told to the state yet: they are told together. */
  readonly #news = new Map<string, LeavingApplication>();
  /** Until neither side has it any more. */
  readonly #letGo = new Set<string>();
  /** Another one has their name: it takes their place first, so that what they deployed stays. */
  readonly #replaced = new Map<string, LeavingApplication & { readonly by: string }>();
  #isRestored = false;
  #takenAt: Date | null = null;
  #kept = "";
  #keptMs = Number.NEGATIVE_INFINITY;

  constructor(options: GuardedDeletionsOptions) {
    this.#options = options;
  }

  connect(ports: GuardPorts): void {
    this.#connected = ports;
  }

  /** Until `work` ends. Before that begins, what waited before is known. */
  async run(work: () => Promise<void>): Promise<void> {
    const { clock, cluster, holds, log } = this.#options;
    await this.#take();
    await using _following = holds.follow(() => this.#take());
    await using _judging = repeat({
      clock,
      intervalMs: judgeEveryMs,
      run: () => this.judge(),
      onError: (error) => log.warn({ err: error, cluster }, "deletions that wait can't be written down now"),
    });
    await work();
  }

  /** It is gone from the source, or is being deleted there, or that isn't sure yet. */
  left(uid: string, name: string): void {
    if (this.#letGo.has(uid)) {
      this.#ports.letGo(uid, name);
      return;
    }
    // No API server makes such a uid; a cluster that does keeps what it has.
    if (this.holds(uid) || uid.length > longestUid) return;
    if (this.#news.size === 0) queueMicrotask(() => this.#tellNews());
    this.#news.set(uid, { name, leftMs: this.#options.clock.now() });
  }

  /** It is there, and isn't being deleted. */
  back(uid: string): void {
    this.#news.delete(uid);
    this.#replaced.delete(uid);
    this.#letGo.delete(uid);
    if (leavingOf(this.#state).has(uid)) this.#become({ is: "dropped", uids: [uid] });
  }

  /** Whether nothing is to be told of it now. */
  holds(uid: string): boolean {
    return this.#news.has(uid) || leavingOf(this.#state).has(uid) || this.#replaced.has(uid);
  }

  /** How many applications wait for a confirmation. */
  get heldCount(): number {
    return this.#state.is === "holding" ? this.#state.leaving.size : 0;
  }

  isLetGo(uid: string): boolean {
    return this.#letGo.has(uid);
  }

  /** While all isn't compared, more may be missing. */
  async judge(): Promise<void> {
    const { source } = this.#ports;
    this.#tellNews();
    if (source.state === "open") this.#judge();
    await this.#keep();
  }

  get #ports(): GuardPorts {
    if (this.#connected === undefined) throw new Error("The guard isn't connected.");
    return this.#connected;
  }

  #judge(): void {
    const { source, present } = this.#ports;
    const { rules, clock } = this.#options;
    if (leavingOf(this.#state).size === 0 && this.#replaced.size === 0 && this.#letGo.size === 0) return;
    const there = present();
    this.#sortOut(there);
    this.#become({ is: "judged", nowMs: clock.now(), present: there.size, rules });
    const uids = new Set(there.values());
    for (const [uid, { name, by }] of this.#replaced) {
      if (source.has(uid) && uids.has(by) && !source.isSettled(by)) continue;
      this.#replaced.delete(uid);
      if (!uids.has(by)) this.left(uid, name);
      else if (source.has(uid)) this.#release(uid, name);
    }
    for (const uid of this.#letGo) if (!source.has(uid) && !uids.has(uid)) this.#letGo.delete(uid);
  }

  /** Lets go of waiting applications that neither side has any more, or that others of the same name replaced. */
  #sortOut(there: ReadonlyMap<string, string>): void {
    const dropped: string[] = [];
    for (const [uid, application] of leavingOf(this.#state)) {
      const by = there.get(application.name);
      if (by !== undefined) this.#replaced.set(uid, { ...application, by });
      if (by !== undefined || !this.#ports.source.has(uid)) dropped.push(uid);
    }
    if (dropped.length > 0) this.#become({ is: "dropped", uids: dropped });
  }

  #tellNews(): void {
    if (this.#news.size === 0) return;
    const applications: Leaving = new Map(this.#news);
    this.#news.clear();
    this.#become({ is: "left", applications });
  }

  #become(event: GuardEvent): void {
    const { cluster, log } = this.#options;
    const before = this.#state;
    const { state, letGo } = nextGuardState(before, event);
    this.#state = state;
    if (state.is === "holding" && before.is !== "holding") {
      const [count, all] = [state.leaving.size, event.is === "judged" ? event.present + state.leaving.size : undefined];
      log.warn({ cluster, count, all }, "a mass deletion of applications waits for a confirmation");
    }
    for (const uid of letGo) this.#release(uid, leavingOf(before).get(uid)?.name ?? "");
  }

  #release(uid: string, name: string): void {
    this.#letGo.add(uid);
    this.#ports.letGo(uid, name);
  }

  /** Restores the kept state the first time, and takes up new confirmations. */
  async #take(): Promise<void> {
    const { held, sinceMs, letGo, confirmed, confirmedAt } = await this.#options.holds.read();
    if (!this.#isRestored) {
      this.#isRestored = true;
      for (const uid of letGo) this.#letGo.add(uid);
      this.#state = restoreGuard(held, sinceMs);
    }
    if (confirmedAt?.getTime() === this.#takenAt?.getTime()) return;
    this.#takenAt = confirmedAt;
    this.#tellNews();
    this.#become({ is: "confirmed", uids: confirmed });
  }

  async #keep(): Promise<void> {
    const { clock, holds } = this.#options;
    const held = this.#state.is === "holding" ? this.#state : undefined;
    const [leaving, letGo] = [[...(held?.leaving ?? [])].slice(0, mostKept), [...this.#letGo].slice(0, mostKept)];
    const kept = JSON.stringify([leaving.map(([uid]) => uid), letGo, this.#takenAt]);
    if (kept === (this.#kept || nothingKept) || clock.steadyMs() - this.#keptMs < keepEveryMs) return;
    this.#keptMs = clock.steadyMs();
    await holds.write({
      held: new Map(leaving),
      sinceMs: held?.sinceMs ?? 0,
      letGo,
      confirmedAt: this.#takenAt,
    });
    this.#kept = kept;
  }
}

const longestUid = 128;
const judgeEveryMs = 500;
const keepEveryMs = 2_000;
/** For each cluster. The rest of them wait for the next confirmation. */
const mostKept = 5_000;
const nothingKept = JSON.stringify([[], [], null]);
