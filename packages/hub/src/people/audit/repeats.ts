// A flood of refused requests must not fill the store: when a caller repeats the same within a moment, the first is
// recorded as it is, the rest as one record with a count. Denials of a known caller may be more, since they aren't all
// the same.
import type { Clock } from "@fairlead/kernel";
import type { Entry } from "./types.ts";

export interface Repeats extends Disposable {
  /** True when the entry is one of many and is counted rather than recorded. */
  take(entry: Entry): boolean;
}

export function createRepeats(options: {
  readonly clock: Clock;
  readonly record: (entry: Entry) => void;
  readonly windowMs?: number;
}): Repeats {
  const { clock, record, windowMs = 10_000 } = options;
  let counts = new Map<string, { singles: number; count: number; last: Entry }>();
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
      const group = groupOf(entry);
      if (group === undefined) return false;
      cancel ??= clock.after(windowMs, close);
      const known = counts.get(group.key);
      if (known && known.singles >= group.maxSingles) {
        known.count += 1;
        known.last = entry;
        return true;
      }
      // There are no more users than there are, of addresses there are any number.
      if (known || counts.size < maxKeys || entry.start.principal) {
        counts.set(group.key, { singles: (known?.singles ?? 0) + 1, count: 0, last: entry });
        return false;
      }
      // There are more addresses than one can keep apart: they share a sum.
      const rest = counts.get("") ?? { singles: 0, count: 0, last: entry };
      const last = { ...entry, start: { ...entry.start, remoteAddress: "*" } };
      counts.set("", { ...rest, count: rest.count + 1, last });
      return true;
    },
    [Symbol.dispose]() {
      cancel?.();
      close();
    },
  };
}

interface Group {
  readonly key: string;
  /** So many are recorded one by one. */
  readonly maxSingles: number;
}

function groupOf({ start, outcome }: Entry): Group | undefined {
  const { principal, remoteAddress, cluster } = start;
  const { status = 0, code } = outcome ?? {};
  if (!principal) return { key: `${remoteAddress} ${status} ${code}`, maxSingles: 1 };
  const who = `${principal.kind} ${principal.name}`;
  if (status === 429) return { key: `${who} ${code} ${cluster}`, maxSingles: 1 };
  // Without the cluster: whoever is denied may name any.
  return code !== undefined && denials.has(status) ? { key: `${who} ${code}`, maxSingles: maxDenials } : undefined;
}

/** Nothing went out for a request that ended in one of these with a code of the hub's, and no limit counted it. */
const denials: ReadonlySet<number> = new Set([400, 403, 404]);
const maxDenials = 100;
const maxKeys = 1_000;
