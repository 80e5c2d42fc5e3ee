// Keeps something until its owner comes back with its key: once, within its time, and never more than memory can hold.
import { type Clock, createSecret } from "@fairlead/kernel";

export interface Waiting<T> {
  /** Returns the key, a secret of 256 bits. */
  put(value: T): string;
  peek(key: string): T | undefined;
  /** Only the first who comes gets it. */
  take(key: string): T | undefined;
  forget(matches: (value: T) => boolean): void;
}

export function createWaiting<T>(options: {
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly max?: number;
}): Waiting<T> {
  const { clock, ttlMs, max = 50_000 } = options;
  const entries = new Map<string, { readonly value: T; readonly endsMs: number }>();

  return {
    put(value) {
      // Oldest first, and all live equally long.
      for (const [key, { endsMs }] of entries) {
        if (endsMs > clock.now()) break;
        entries.delete(key);
      }
      // An attacker who fills it up must begin all of it anew while others sign in, rather than once, to keep them out.
      const [oldest] = entries.size >= max ? entries.keys() : [];
      if (oldest !== undefined) entries.delete(oldest);
      const key = createSecret();
      entries.set(key, { value, endsMs: clock.now() + ttlMs });
      return key;
    },

    peek,

    take(key) {
      const value = peek(key);
      entries.delete(key);
      return value;
    },

    forget(matches) {
      for (const [key, { value }] of entries) if (matches(value)) entries.delete(key);
    },
  };

  function peek(key: string): T | undefined {
    const entry = entries.get(key);
    return entry && entry.endsMs > clock.now() ? entry.value : undefined;
  }
}
