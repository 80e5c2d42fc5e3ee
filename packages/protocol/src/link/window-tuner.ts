// How large a stream's window should be: what its consumer takes in two round trips. Less, and the sender stands still
// while credit is on its way; more only fills queues, on the path and in this process.
export interface TunerOptions {
  readonly now: () => number;
  /** The shortest round trip of late; undefined before the first. */
  readonly rttMs: () => number | undefined;
  readonly windowBytes: number;
  readonly maxWindowBytes: number;
  /** What streams of the same link have found out, for those that come after them. */
  readonly learned: LearnedWindow;
}

export interface LearnedWindow {
  bytes: number;
  at: number;
}

export class WindowTuner {
  readonly #options: TunerOptions;
  targetBytes: number;
  #bytes = 0;
  #since = 0;
  #lastAt = 0;

  constructor(options: TunerOptions) {
    this.#options = options;
    this.targetBytes = options.windowBytes;
  }

  /** The consumer took so much since the last call. */
  consumed(sizeBytes: number): void {
    const { now, rttMs, windowBytes, maxWindowBytes } = this.#options;
    const at = now();
    const idleMs = at - this.#lastAt;
    this.#lastAt = at;
    const loopMs = Math.max((rttMs() ?? 0) + turnMs, leastLoopMs);
    if (idleMs > Math.max(idleAfterMs, loopMs * 4)) {
      // Nothing says how fast it is now.
      this.#since = at;
      this.#bytes = 0;
      this.targetBytes = windowBytes;
      return;
    }
    this.#bytes += sizeBytes;
    const spanMs = at - this.#since;
    if (spanMs < loopMs) return;
    const wantedBytes = Math.floor((this.#bytes / spanMs) * loopMs * 2);
    const isGrowing = wantedBytes > this.targetBytes;
    const { learned } = this.#options;
    const isFresh = at - learned.at < learnedMs;
    // A stream that its window holds back needn't find out step by step what another one has.
    const targetBytes = isGrowing && isFresh ? Math.max(wantedBytes, learned.bytes) : wantedBytes;
    this.targetBytes = Math.min(Math.max(targetBytes, windowBytes), maxWindowBytes);
    if (!isFresh || wantedBytes >= learned.bytes) {
      learned.bytes = wantedBytes;
      learned.at = at;
    }
    this.#since = at;
    this.#bytes = 0;
  }
}

/** Between data and credit lies a turn of each end, too. */
const turnMs = 4;
/** What two busy processes take to answer each other, however short the way is. */
const leastLoopMs = 8;
const idleAfterMs = 1_000;
const learnedMs = 10_000;
