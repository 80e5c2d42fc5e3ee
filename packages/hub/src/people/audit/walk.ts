import { setImmediate } from "node:timers/promises";
import { followChain } from "./chain.ts";
import type { ChainStore } from "./chain-store.ts";
import { auditErrors } from "./errors.ts";
import type { Block, Head, NamedHead } from "./types.ts";

export interface Walk {
  readonly ok: boolean;
  readonly problem?: "changed" | undefined;
  readonly records: number;
  readonly firstSeq: number;
  readonly lastSeq: number;
  readonly brokenAt?: number | undefined;
  readonly headHash: string;
  /** The newest heads of other chains that its records name. */
  readonly heads: readonly NamedHead[];
}

/** Walks a chain from what was deleted last to the head, a few blocks at a time. Undefined when there is none (any more). */
export async function walkChain(store: ChainStore, chain: string, signal?: AbortSignal): Promise<Walk | undefined> {
  const ends = await store.readEnds();
  if (!ends) return undefined;
  const { head, anchor } = ends;
  const firstSeq = head.seq === anchor.seq ? 0 : anchor.seq + 1;
  const named = new Map<string, NamedHead>();
  let at: Head = anchor;
  let limit = blocksAtOnce;
  while (at.seq < head.seq) {
    signal?.throwIfAborted();
    const brokenAt = await checkSome();
    if (brokenAt === undefined) continue;
    return {
      ok: false,
      problem: "changed",
      records: at.seq - anchor.seq,
      brokenAt,
      firstSeq,
      lastSeq: head.seq,
      headHash: head.hash,
      heads: [...named.values()],
    };
  }
  const ok = at.seq === head.seq && at.hash === head.hash;
  return {
    ok,
    records: at.seq - anchor.seq,
    ...(ok ? {} : { problem: "changed", brokenAt: head.seq }),
    firstSeq,
    lastSeq: firstSeq === 0 ? 0 : head.seq,
    headHash: head.hash,
    heads: [...named.values()],
  };

  /** Moves `at` on; answers with the first record that isn't right. */
  async function checkSome(): Promise<number | undefined> {
    let blocks: Block[];
    try {
      blocks = await store.read({ seq: at.seq + 1, direction: "newer", limit });
    } catch (error) {
      if (!auditErrors.is(error, "AUDIT_DAMAGED")) throw error;
      if (limit === 1) return at.seq + 1;
      // A block among them isn't readable: find it.
      limit = 1;
      return undefined;
    }
    if (blocks.length === 0) return at.seq + 1;
    for (const block of blocks) {
      if (at.seq >= head.seq) return undefined;
      if (block.firstSeq !== at.seq + 1) return at.seq + 1;
      const users = new Set<string>();
      const clusters = new Set<string>();
      for (const line of block.lines) {
        const next = followChain(at, line);
        const record = next && (JSON.parse(line) as Line);
        // A chain's records are no other's.
        if (!record || (record.chain ?? "") !== chain) return at.seq + 1;
        users.add(record.who.name);
        if (record.cluster !== undefined) clusters.add(record.cluster);
        for (const each of record.heads ?? []) named.set(each.chain, each);
        at = next;
      }
      // The index isn't part of the hashes, but records are found by it: a name taken out there would hide them.
      const isIndexed = [...users].every((user) => block.users.includes(user));
      if (!isIndexed || ![...clusters].every((cluster) => block.clusters.includes(cluster))) return block.firstSeq;
      if (block.lastSeq !== at.seq || block.lastHash !== at.hash) return block.firstSeq;
      await setImmediate();
    }
    return undefined;
  }
}

interface Line {
  readonly chain?: string;
  readonly who: { readonly name: string };
  readonly cluster?: string;
  readonly heads?: readonly NamedHead[];
}

const blocksAtOnce = 8;
