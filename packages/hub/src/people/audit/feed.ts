// Records for readers: in pages backwards, and as they come. A follower reads from where it is, at its own pace: what
// is new from memory, what isn't any more from the store. So nothing queues up for one that is slow.
//
// A follower has a position in each chain: a hub's records are committed in the order of their numbers, so none can come
// later than one that was read. Between hubs there is no such order.
import type { AuditList, AuditListQuery, AuditQuery } from "@fairlead/contract";
import { onAbort } from "@fairlead/kernel";
import { createMatcher, toWanted } from "./match.ts";
import { type ChainReader, createChainReader, mergeByTime } from "./merge.ts";
import { readAuditPage } from "./pages.ts";
import { createTails, type TailsOptions } from "./tails.ts";
import type { Block } from "./types.ts";

export interface AuditFeed extends Disposable {
  list(query: AuditListQuery): Promise<AuditList>;
  /** Lines of JSON, without an end until the signal aborts; an empty list every few seconds when there is nothing. */
  follow(query: AuditQuery, signal: AbortSignal): AsyncGenerator<readonly string[]>;
  add(block: Block): void;
  /** True when someone is there to see new records. */
  readonly isFollowed: boolean;
}

export function createAuditFeed(options: TailsOptions & { readonly flush: () => Promise<void> }): AuditFeed {
  const { store, chain: own, flush } = options;
  const stopping = new AbortController();
  const tails = createTails(options);
  let followers = 0;
  return {
    async list(query) {
      await flush();
      return await readAuditPage(store, query);
    },
    follow,
    add: (block) => tails.add(block),
    get isFollowed() {
      return followers > 0;
    },
    [Symbol.dispose]: () => stopping.abort(new Error("The hub is stopping.")),
  };

  async function* follow(query: AuditQuery, signal: AbortSignal): AsyncGenerator<readonly string[]> {
    followers += 1;
    try {
      await flush();
      // The look at the other chains takes a moment; what this hub records from here on is seen all the same.
      const ownSeq = tails.heads.get(own) ?? 0;
      using _watching = await tails.watch();
      const from = new Map([...tails.heads, [own, ownSeq]]);
      yield* read(query, { from, ended: AbortSignal.any([signal, stopping.signal]) });
    } finally {
      followers -= 1;
    }
  }

  async function* read(
    query: AuditQuery,
    { from, ended }: { readonly from: ReadonlyMap<string, number>; readonly ended: AbortSignal },
  ): AsyncGenerator<readonly string[]> {
    const matches = createMatcher(query);
    const readers = await openReaders(query, from);
    while (!ended.aborted) {
      const next = tails.more;
      const behind = readers.behind();
      if (behind.length === 0) {
        if (!(await waitFor(next, ended))) yield [];
        continue;
      }
      for await (const lines of mergeByTime(behind, matches)) {
        if (lines.length > 0) yield lines;
        if (ended.aborted) return;
      }
    }
  }

  /** With `since` from a chain's first record that may be wanted on, else from its newest. */
  async function openReaders(
    query: AuditQuery,
    from: ReadonlyMap<string, number>,
  ): Promise<{ behind(): ChainReader[] }> {
    const wanted = toWanted(query);
    const beginnings = query.since === undefined ? undefined : await store.readBeginnings(wanted);
    const readers = new Map<string, ChainReader>();
    const open = (chain: string): ChainReader => {
      const beginsAt = beginnings?.get(chain);
      const headSeq = from.get(chain) ?? 0;
      const seq = beginsAt === undefined ? headSeq + 1 : 1;
      const reader = createChainReader({ chain, seq, beginsAt, wanted, store: store.chain(chain), tails });
      readers.set(chain, reader);
      return reader;
    };
    return {
      behind: () =>
        [...tails.heads].flatMap(([chain, headSeq]) => {
          const reader = readers.get(chain) ?? open(chain);
          return reader.seekTo(headSeq) ? [reader] : [];
        }),
    };
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

const heartbeatMs = 15_000;
