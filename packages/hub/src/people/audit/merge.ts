// Several chains' records in the order of their times, without reading more of each than a few blocks ahead. Within a chain
// the order stays that of its numbers.
import type { AuditRecord } from "@fairlead/contract";
import type { ChainStore, Wanted } from "./chain-store.ts";
import type { Tails } from "./tails.ts";

export type Matcher = (line: string) => AuditRecord | undefined;

export interface ChainReader {
  /** True when there is something to read up to there. */
  seekTo(headSeq: number): boolean;
  /** No later than the next line's time. */
  readonly nextAt: number;
  readonly isFilled: boolean;
  /** False when all is read. */
  fill(matches: Matcher): Promise<boolean>;
  /** Lines of that time and before. */
  take(untilAt: number): string[];
}

export function createChainReader(options: {
  readonly chain: string;
  /** The first record to read. */
  readonly seq: number;
  /** Nothing wanted is earlier. */
  readonly beginsAt?: number | undefined;
  readonly wanted: Wanted;
  readonly store: Pick<ChainStore, "read">;
  readonly tails: Pick<Tails, "read">;
}): ChainReader {
  const { chain, wanted, store, tails } = options;
  let { seq, beginsAt: nextAt = 0 } = options;
  let upTo = seq - 1;
  const filled: { readonly line: string; readonly at: number }[] = [];
  return {
    seekTo(headSeq) {
      upTo = Math.max(upTo, headSeq);
      return seq <= upTo;
    },
    get nextAt() {
      return nextAt;
    },
    get isFilled() {
      return filled.length > 0;
    },

    async fill(matches) {
      while (filled.length === 0 && seq <= upTo) {
        const blocks =
          tails.read(chain, seq) ?? (await store.read({ ...wanted, seq, direction: "newer", limit: blocksAtOnce }));
        // The conditions left out the rest of what there is.
        if (blocks.length === 0) seq = upTo + 1;
        for (const block of blocks) {
          for (const line of block.lines.slice(Math.max(0, seq - block.firstSeq))) {
            const record = matches(line);
            if (record) filled.push({ line, at: Date.parse(record.at) });
          }
          seq = block.lastSeq + 1;
        }
      }
      nextAt = filled[0]?.at ?? nextAt;
      return filled.length > 0;
    },

    take(untilAt) {
      const end = filled.findIndex(({ at }) => at > untilAt);
      const taken = filled.splice(0, end < 0 ? filled.length : end);
      nextAt = filled[0]?.at ?? taken.at(-1)?.at ?? nextAt;
      return taken.map(({ line }) => line);
    },
  };
}

/** Until all have been read up to where they were told to. */
export async function* mergeByTime(
  readers: readonly ChainReader[],
  matches: Matcher,
): AsyncGenerator<readonly string[]> {
  const left = new Set(readers);
  let lines: string[] = [];
  while (left.size > 0) {
    const [first, second] = [...left].sort((one, other) => one.nextAt - other.nextAt);
    if (!first) break;
    if (first.isFilled) {
      lines = lines.concat(first.take(second?.nextAt ?? Number.POSITIVE_INFINITY));
      if (lines.length < linesAtOnce) continue;
    } else if (!(await first.fill(matches))) {
      left.delete(first);
      continue;
    } else {
      continue;
    }
    yield lines;
    lines = [];
  }
  if (lines.length > 0) yield lines;
}

const blocksAtOnce = 8;
const linesAtOnce = 1_024;
