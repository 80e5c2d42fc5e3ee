// Pages of records, newest first, of all chains. Their order is by the time of each record, then by its chain and number,
// which never change. So a page goes on behind the last record of the one before it, whatever was written, moved or deleted.
import type { AuditList, AuditListQuery, AuditRecord } from "@fairlead/contract";
import { createMatcher, toWanted } from "./match.ts";
import type { AuditStore, ChainBlock, RecordsByTime } from "./store.ts";

export function readAuditPage(store: AuditStore, query: AuditListQuery): Promise<AuditList> {
  return store.atOnce((records) => readFrom(records, query));
}

async function readFrom(records: RecordsByTime, { cursor, limit = 100, ...query }: AuditListQuery): Promise<AuditList> {
  const before = cursor === undefined ? undefined : parseCursor(cursor);
  const matches = createMatcher(query);
  const wanted = toWanted(query);
  // The block's first record may be as late as the cursor itself.
  const untilMs = Math.min(wanted.untilMs ?? Number.POSITIVE_INFINITY, (before?.at ?? Number.POSITIVE_INFINITY) + 1);
  const conditions = { ...wanted, ...(Number.isFinite(untilMs) && { untilMs }) };
  const deadlineMs = performance.now() + listMs;
  let found: Found[] = [];
  for (let after: ChainBlock | undefined; ; ) {
    const blocks: ChainBlock[] = await records.read({ ...conditions, after, limit: blocksAtOnce });
    for (const block of blocks) found.push(...find(block));
    found = found.sort(newestFirst).slice(0, limit + 1);
    after = blocks.at(-1);
    if (!after || blocks.length < blocksAtOnce) return toPage(found.length > limit);
    // Blocks that weren't read yet hold nothing newer than that.
    const { lastAt } = after;
    const settled = found.findIndex(({ at }) => at <= lastAt);
    const count = settled < 0 ? found.length : settled;
    if (count >= limit) return toPage(true);
    // A rare thing far back: the next page goes on from here.
    if (performance.now() > deadlineMs) {
      return {
        items: found.slice(0, count).map(({ record }) => record),
        next: formatCursor({ at: lastAt + 1, seq: 0, chain: "" }),
      };
    }
  }

  function find({ chain, lines }: ChainBlock): Found[] {
    return lines.flatMap((line) => {
      const record = matches(line);
      if (!record) return [];
      const key = { at: Date.parse(record.at), chain, seq: record.seq };
      return before && newestFirst(before, key) >= 0 ? [] : [{ ...key, record }];
    });
  }

  function toPage(isMore: boolean): AuditList {
    const page = found.slice(0, limit);
    const last = page.at(-1);
    return { items: page.map(({ record }) => record), ...(isMore && last && { next: formatCursor(last) }) };
  }
}

interface Key {
  readonly at: number;
  readonly chain: string;
  readonly seq: number;
}

interface Found extends Key {
  readonly record: AuditRecord;
}

function newestFirst(one: Key, other: Key): number {
  if (one.at !== other.at) return other.at - one.at;
  if (one.chain !== other.chain) return one.chain < other.chain ? 1 : -1;
  return other.seq - one.seq;
}

function formatCursor({ at, seq, chain }: Key): string {
  return `${at}.${seq}.${chain}`;
}

/** The contract has seen to its form. */
function parseCursor(cursor: string): Key {
  const [at, seq, chain = ""] = cursor.split(".");
  return { at: Number(at), seq: Number(seq), chain };
}

const blocksAtOnce = 16;
const listMs = 2_000;
