// A flood of requests that are refused must not fill the store: of what one caller repeats within a moment the first
// is recorded as it is, the rest as one record with a count.
import type { Clock } from "@fairlead/kernel";
import type { Entry } from "./types.ts";

export interface Repeats extends Disposable {
  /** Whether the entry is one of many and is counted rather than recorded. */
  take(entry: Entry): boolean;
}

export function createRepeats(options: {
  readonly clock: Clock;
  readonly record: (entry: Entry) => void;
  readonly windowMs?: number;
}): Repeats {
  const { clock, record, windowMs = 10_000 } = options;
  let counts = new Map<string, { count: number; last: Entry }>();
  let cancel: (() => void) | undefined;

  function close(): void {
    cancel = undefined;
    const closed = counts;
    counts = new Map();
    for (const { count, last } of closed.values()) {
      if (count > 0) record({ ...last, at: clock.now(), count });
    }
  }

  return {
    take(entry) {
      const key = keyOf(entry);
      if (key === undefined) return false;
      cancel ??= clock.after(windowMs, close);
      const known = counts.get(key);
      if (known) {
        known.count += 1;
        known.last = entry;
        return true;
      }
      if (counts.size < maxKeys) {
        counts.set(key, { count: 0, last: entry });
        return false;
      }
      // Of more addresses than one can keep apart: one sum for all of them.
      const rest = counts.get("") ?? { count: 0, last: entry };
      counts.set("", { count: rest.count + 1, last: { ...entry, start: { ...entry.start, remoteAddress: "*" } } });
      return true;
    },
    [Symbol.dispose]() {
      cancel?.();
      close();
    },
  };
}

function keyOf({ start, outcome }: Entry): string | undefined {
  const status = outcome?.status ?? 0;
  if (!start.principal) return `${start.remoteAddress} ${status} ${outcome?.code}`;
  if (status !== 429) return undefined;
  return `${start.principal.name} ${start.cluster} ${outcome?.code}`;
}

const maxKeys = 1_000;
