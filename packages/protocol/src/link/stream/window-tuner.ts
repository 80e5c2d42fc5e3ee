// A stream's window should be as large as the data that its consumer takes in two round trips. With less the sender stands
// still while credit is on its way. More only fills queues, on the path and in this process.
//
// A round trip with a small window says little, as most of it is silence. So a stream that begins looks at the rate
// within a burst, which is the path's own, and grows fourfold in each round trip until its window isn't what holds it.
export interface TunerOptions {
  readonly now: () => number;
  /** The shortest round trip of late; undefined before the first. */
  readonly rttMs: () => number | undefined;
  readonly windowBytes: number;
  readonly maxWindowBytes: number;
  /** Found out by streams of the same link, for those that come after them. */
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
  #lastAt = Number.NEGATIVE_INFINITY;
  /** Taken without a pause in between. */
  #burstBytes = 0;
  #burstSince = 0;
  /** Loops in a row that left much of the window unused: it isn't what holds the stream. */
  #unusedLoops = 0;
  /** The target when the current loop began: what could come in it at most. */
  #loopTargetBytes: number;
  /** Wanted by the last loops: one in which the process was busy with other things doesn't make a window small. */
  #wanted: readonly number[] = [];

  constructor(options: TunerOptions) {
    this.#options = options;
    this.targetBytes = options.windowBytes;
    this.#loopTargetBytes = options.windowBytes;
  }

  /** The consumer took so much since the last call. */
  consumed(sizeBytes: number): void {
    const at = this.#options.now();
    const idleMs = at - this.#lastAt;
    this.#lastAt = at;
    const loopMs = Math.max((this.#options.rttMs() ?? 0) + turnMs, leastLoopMs);
    if (idleMs > Math.max(idleAfterMs, loopMs * 4)) {
      this.#begin(at);
      return;
    }
    this.#bytes += sizeBytes;
    if (this.#isBeginning) this.#lookAtBurst({ at, idleMs, sizeBytes, loopMs });
    if (at - this.#since >= loopMs) this.#endLoop(at, loopMs);
  }

  get #isBeginning(): boolean {
    return this.#unusedLoops < 2;
  }

  /** Called when nothing says how fast it is now. */
  #begin(at: number): void {
    this.#since = at;
    this.#bytes = 0;
    this.#burstSince = at;
    this.#burstBytes = 0;
    this.#unusedLoops = 0;
    this.#wanted = [];
    this.targetBytes = this.#options.windowBytes;
    this.#loopTargetBytes = this.targetBytes;
  }

  #lookAtBurst(options: { at: number; idleMs: number; sizeBytes: number; loopMs: number }): void {
    const { at, idleMs, sizeBytes, loopMs } = options;
    if (idleMs > loopMs / 4) {
      this.#burstSince = at;
      this.#burstBytes = 0;
      return;
    }
    this.#burstBytes += sizeBytes;
    // A chunk or two that come out of a buffer together say nothing.
    if (this.#burstBytes < this.#loopTargetBytes / 2) return;
    const wantedBytes = (this.#burstBytes / Math.max(at - this.#burstSince, 1)) * loopMs * 2;
    if (wantedBytes > this.targetBytes) this.#raise(Math.min(wantedBytes, this.#loopTargetBytes * 4), at);
  }

  #endLoop(at: number, loopMs: number): void {
    const { windowBytes, maxWindowBytes, learned } = this.#options;
    const wantedBytes = Math.floor((this.#bytes / (at - this.#since)) * loopMs * 2);
    if (this.#bytes < this.#loopTargetBytes * usedPart) this.#unusedLoops++;
    else if (this.#isBeginning) this.#unusedLoops = 0;
    this.#wanted = [wantedBytes, ...this.#wanted.slice(0, rememberedLoops - 1)];
    const isFresh = at - learned.at < learnedMs;
    if (wantedBytes > this.targetBytes) this.#raise(wantedBytes, at);
    else if (!this.#isBeginning) {
      this.targetBytes = Math.min(Math.max(windowBytes, ...this.#wanted), maxWindowBytes);
    }
    if (!isFresh || wantedBytes >= learned.bytes) {
      learned.bytes = wantedBytes;
      learned.at = at;
    }
    this.#since = at;
    this.#bytes = 0;
    this.#loopTargetBytes = this.targetBytes;
  }

  /** A stream that its window holds back needn't find out step by step what another one has. */
  #raise(wantedBytes: number, at: number): void {
    const { maxWindowBytes, learned } = this.#options;
    const isFresh = at - learned.at < learnedMs;
    const raisedBytes = Math.floor(Math.max(wantedBytes, isFresh ? learned.bytes : 0));
    this.targetBytes = Math.min(Math.max(this.targetBytes, raisedBytes), maxWindowBytes);
  }
}

/** Each end takes a turn between data and credit, too. */
const turnMs = 4;
/** Two busy processes take so long to answer each other, however short the way is. */
const leastLoopMs = 8;
/** A part of the window, in one loop: a path whose window is right takes half of it. */
const usedPart = 0.6;
const rememberedLoops = 4;
const idleAfterMs = 1_000;
const learnedMs = 10_000;
