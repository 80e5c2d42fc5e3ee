// Records for readers: in pages backwards, and as they come. A follower reads from where it is, at its own pace: what
// is new from memory, what isn't any more from the store. So nothing queues up for one that is slow.
import type { AuditList, AuditListQuery, AuditQuery, AuditRecord } from "@fairlead/contract";
import { onAbort } from "@fairlead/kernel";
import { createMatcher } from "./match.ts";
import type { AuditStore, ReadOptions } from "./store.ts";
import type { Block, Head } from "./types.ts";

export interface AuditFeed extends Disposable {
  list(query: AuditListQuery): Promise<AuditList>;
  /** Lines of JSON, without an end until the signal aborts; an empty list every few seconds when there is nothing. */
  follow(query: AuditQuery, signal: AbortSignal): AsyncGenerator<readonly string[]>;
  add(block: Block): void;
  /** True when someone is there to see new records. */
  readonly isFollowed: boolean;
}

export function createAuditFeed(options: {
  readonly store: AuditStore;
  readonly head: Head;
  readonly flush: () => Promise<void>;
}): AuditFeed {
  const { store, flush } = options;
  const stopping = new AbortController();
  const recent: Block[] = [];
  let recentLines = 0;
  let headSeq = options.head.seq;
  let wake = Promise.withResolvers<void>();
  let followers = 0;
  return {
    list,
    follow,
    add,
    get isFollowed() {
      return followers > 0;
    },
    [Symbol.dispose]: () => stopping.abort(new Error("The hub is stopping.")),
  };

  function add(block: Block): void {
    recent.push(block);
    headSeq = block.lastSeq;
    recentLines += block.lines.length;
    while (recentLines > keptLines && recent.length > 1) recentLines -= recent.shift()?.lines.length ?? 0;
    wake.resolve();
    wake = Promise.withResolvers();
  }

  async function list({ cursor, limit = 100, ...query }: AuditListQuery): Promise<AuditList> {
    await flush();
    const matches = createMatcher(query);
    const items: AuditRecord[] = [];
    const deadlineMs = performance.now() + listMs;
    let seq = cursor === undefined ? headSeq : Number(cursor);
    while (seq > 0) {
      const blocks = await store.read({ ...toConditions(query), seq, direction: "older", limit: blocksAtOnce });
      for (const block of blocks) {
        for (const line of block.lines.slice(0, Math.max(0, seq - block.firstSeq + 1)).reverse()) {
          const record = matches(line);
          if (!record) continue;
          items.push(record);
          if (items.length === limit) return { items, ...(record.seq > 1 && { next: String(record.seq - 1) }) };
        }
        seq = block.firstSeq - 1;
      }
      if (blocks.length < blocksAtOnce) return { items };
      // A rare thing far back: the next page goes on from here.
      if (performance.now() > deadlineMs) return { items, ...(seq > 0 && { next: String(seq) }) };
    }
    return { items };
  }

  async function* follow(query: AuditQuery, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    followers += 1;
    try {
      yield* read(query, signal);
    } finally {
      followers -= 1;
    }
  }

  async function* read(query: AuditQuery, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    const matches = createMatcher(query);
    const ended = AbortSignal.any([signal, stopping.signal]);
    await flush();
    let seq = query.since === undefined ? headSeq + 1 : 1;
    while (!ended.aborted) {
      const next = wake.promise;
      const upTo = headSeq;
      if (seq > upTo) {
        if (!(await waitFor(next, ended))) yield [];
        continue;
      }
      const blocks =
        readRecent(seq) ?? (await store.read({ ...toConditions(query), seq, direction: "newer", limit: 8 }));
      for (const block of blocks) {
        const lines = block.lines
          .slice(Math.max(0, seq - block.firstSeq))
          .filter((line) => matches(line) !== undefined);
        seq = block.lastSeq + 1;
        if (lines.length > 0) yield lines;
        if (ended.aborted) return;
      }
      // The conditions left out the rest of what there is.
      if (blocks.length === 0) seq = upTo + 1;
    }
  }

  /** Undefined when memory doesn't go back that far. */
  function readRecent(seq: number): Block[] | undefined {
    const [oldest] = recent;
    if (!oldest || oldest.firstSeq > seq) return undefined;
    return recent.filter((block) => block.lastSeq >= seq);
  }
}

/** False when the time is over first. */
async function waitFor(next: Promise<void>, signal: AbortSignal): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => over.resolve(false), heartbeatMs).unref();
  using _listening = onAbort(signal, () => over.resolve(true));
  try {
    return await Promise.race([next.then(() => true), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function toConditions(query: AuditQuery): Pick<ReadOptions, "user" | "cluster" | "sinceMs" | "untilMs"> {
  const { user, cluster, since, until } = query;
  const toMs = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));
  return { user, cluster, sinceMs: toMs(since), untilMs: toMs(until) };
}

/** Enough for a busy second; older ones are read from the store. */
const keptLines = 8_192;
const blocksAtOnce = 16;
const listMs = 2_000;
const heartbeatMs = 15_000;
