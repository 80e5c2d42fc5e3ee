// When the cluster is examined next: soon after a change, once for many of them, and never so often that it takes more
// than a twentieth of a CPU. Pure.

/** `later`: it may wait for others. */
export type Urgency = "soon" | "later";

export class Schedule {
  #dueAtMs: number;
  #restUntilMs = 0;
  /** The oldest change that no examination has seen. */
  #changedAtMs: number | undefined;

  constructor(nowMs: number) {
    this.#dueAtMs = nowMs;
  }

  changed(urgency: Urgency, nowMs: number): void {
    this.#changedAtMs ??= nowMs;
    this.#dueAtMs = Math.min(this.#dueAtMs, nowMs + delaysMs[urgency]);
  }

  /** Changes from now on are for the next examination. */
  begin(): void {
    this.#changedAtMs = undefined;
    this.#dueAtMs = Number.POSITIVE_INFINITY;
  }

  /** Plans another examination before long even without changes, because some objects are read and not watched. */
  end({ nowMs, tookMs }: { readonly nowMs: number; readonly tookMs: number }): void {
    this.#restUntilMs = nowMs + Math.max(minRestMs, tookMs * restPerWork);
    this.#dueAtMs = Math.min(this.#dueAtMs, nowMs + anywayMs);
  }

  dueInMs(nowMs: number): number {
    return Math.max(0, Math.max(this.#dueAtMs, this.#restUntilMs) - nowMs);
  }

  /** How long a change has been waiting. */
  waitingMs(nowMs: number): number {
    return this.#changedAtMs === undefined ? 0 : nowMs - this.#changedAtMs;
  }
}

const delaysMs = { soon: 300, later: 15_000 };
const minRestMs = 1_000;
const restPerWork = 19;
const anywayMs = 20_000;
