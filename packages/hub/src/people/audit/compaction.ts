import { joinBlocks } from "./chain.ts";
import { type ChainStore, packBlock } from "./chain-store.ts";
import { auditErrors } from "./errors.ts";
import type { Block, Span } from "./types.ts";

export interface Compaction {
  /** Makes one large block of small ones that follow on one another; how many rows that freed, 0 when none are left. */
  step(nowMs: number): Promise<number>;
}

/** On a quiet hub each record is a block of its own, of ten times the size that it has among others. */
export function createCompaction(store: ChainStore): Compaction {
  /** Up to here there is nothing left to do. */
  let doneSeq = 0;
  return {
    async step(nowMs) {
      for (;;) {
        const spans = await store.readSpans({
          afterSeq: doneSeq,
          before: new Date(nowMs - restMs),
          limit: spansAtOnce,
        });
        const group = takeGroup(spans);
        if (group.length < fewest) {
          // The next block doesn't go with these any more; the newest wait for more.
          if (group.length === spans.length) return 0;
          doneSeq = group.at(-1)?.lastSeq ?? doneSeq;
          continue;
        }
        return await merge(group);
      }
    },
  };

  async function merge(group: readonly Span[]): Promise<number> {
    const blocks = await readAll(group);
    const [first, ...rest] = blocks;
    const block = first && rest.reduce(joinBlocks, first);
    // A block that was tampered with stays as it is, for those who look into it.
    if (!block || block.lines.length !== block.lastSeq - block.firstSeq + 1) {
      doneSeq = group.at(-1)?.lastSeq ?? doneSeq;
      return 0;
    }
    await store.replace(await packBlock(block), blocks.length);
    return blocks.length - 1;
  }

  async function readAll(group: readonly Span[]): Promise<Block[]> {
    try {
      return await store.read({ seq: group[0]?.firstSeq ?? 0, direction: "newer", limit: group.length });
    } catch (error) {
      if (auditErrors.is(error, "AUDIT_DAMAGED")) return [];
      throw error;
    }
  }
}

/** From the first on, as many as one block may hold. */
function takeGroup(spans: readonly Span[]): readonly Span[] {
  const [first] = spans;
  if (!first) return [];
  const end = spans.findIndex(({ lastSeq }) => lastSeq - first.firstSeq >= blockRecords);
  return end < 0 ? spans : spans.slice(0, Math.max(1, end));
}

/** The newest stay as they are: they are being read. */
const restMs = 30_000;
const fewest = 32;
const blockRecords = 1_024;
const spansAtOnce = 256;
