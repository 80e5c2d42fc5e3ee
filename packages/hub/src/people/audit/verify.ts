import { setImmediate } from "node:timers/promises";
import type { AuditVerification } from "@fairlead/contract";
import { followChain } from "./chain.ts";
import { auditErrors } from "./errors.ts";
import type { AuditStore } from "./store.ts";
import type { Block, Head } from "./types.ts";

/**
 * Walks the chain from what was deleted last to the head, a few blocks at a time. It can't notice a chain that was made
 * anew from some record on, head included: for that, compare a hash that was kept elsewhere.
 */
export async function verifyChain(store: AuditStore, signal?: AbortSignal): Promise<AuditVerification> {
  const { head, anchor } = await store.readHead();
  const firstSeq = head.seq === anchor.seq ? 0 : anchor.seq + 1;
  let at: Head = anchor;
  let limit = blocksAtOnce;
  while (at.seq < head.seq) {
    signal?.throwIfAborted();
    const brokenAt = await checkSome();
    if (brokenAt === undefined) continue;
    return {
      ...{ ok: false, records: at.seq - anchor.seq, brokenAt },
      ...{ firstSeq, lastSeq: head.seq, headHash: head.hash },
    };
  }
  const ok = at.seq === head.seq && at.hash === head.hash;
  return {
    ...{ ok, records: at.seq - anchor.seq, ...(ok ? {} : { brokenAt: head.seq }) },
    ...{ firstSeq, lastSeq: firstSeq === 0 ? 0 : head.seq, headHash: head.hash },
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
        if (!next) return at.seq + 1;
        const { who, cluster } = JSON.parse(line) as { who: { name: string }; cluster?: string };
        users.add(who.name);
        if (cluster !== undefined) clusters.add(cluster);
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

const blocksAtOnce = 8;
