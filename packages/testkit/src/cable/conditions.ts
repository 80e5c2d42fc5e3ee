import { createTokenBucket, type TokenBucket } from "./token-bucket.ts";

interface State {
  isCut: boolean;
  isBlackhole: boolean;
  /** The delay of one way. */
  delayMs: number;
  bytesPerSecond: number;
}

/** The bytes that may be under way, much like the window of a TCP connection. */
const defaultWindowBytes = 4 * 1024 * 1024;

/** The state of a cable, shared by all its lanes, which are told of every change. */
export interface Conditions extends Readonly<State> {
  readonly windowBytes: number;
  readonly buckets: { readonly up: TokenBucket; readonly down: TokenBucket };
  change(change: Partial<State>): void;
  /** Returns the way to unsubscribe. */
  onChange(listener: () => void): () => void;
}

export function createConditions(windowBytes: number = defaultWindowBytes): Conditions {
  const listeners = new Set<() => void>();
  const state: State = { isCut: false, isBlackhole: false, delayMs: 0, bytesPerSecond: Infinity };
  const buckets = { up: createTokenBucket(), down: createTokenBucket() };
  return Object.freeze({
    get isCut() {
      return state.isCut;
    },
    get isBlackhole() {
      return state.isBlackhole;
    },
    get delayMs() {
      return state.delayMs;
    },
    get bytesPerSecond() {
      return state.bytesPerSecond;
    },
    windowBytes,
    buckets,
    change(change: Partial<State>) {
      Object.assign(state, change);
      buckets.up.setRate(state.bytesPerSecond);
      buckets.down.setRate(state.bytesPerSecond);
      for (const listener of [...listeners]) listener();
    },
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
}
