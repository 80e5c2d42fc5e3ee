import type { Logger } from "../../platform/telemetry/index.ts";
import type { AuditSink } from "./sink.ts";
import type { AuditStore } from "./store.ts";
import { firstChain, type Head, type NamedHead } from "./types.ts";

/** Gives the audit log what it lacks of this hub's newest records, and says so when it doesn't agree with the store. */
export async function catchUp(options: {
  readonly sink: AuditSink;
  readonly store: AuditStore;
  readonly chain: string;
  readonly head: Head;
  readonly log: Logger;
}): Promise<void> {
  const { sink, store, chain, head, log } = options;
  const last = readHeadOf(sink.lastLine);
  if (!last || last.seq === 0) return;
  if (last.chain !== chain) {
    // It is of the time before this hub shared its database.
    const ends = await store.chain(last.chain).readEnds();
    if (ends) await writeFrom(last.chain, last.seq + 1, ends.head.seq);
    return await writeFrom(chain, 1, head.seq);
  }
  const [block] =
    last.seq > head.seq ? [] : await store.chain(chain).read({ seq: last.seq, direction: "older", limit: 1 });
  const line = block?.lines[last.seq - block.firstSeq];
  if (last.seq > head.seq || (line !== undefined && line !== sink.lastLine)) {
    // The store was set back, by a restored backup or by someone.
    log.error({ auditLogSeq: last.seq, storeSeq: head.seq }, atOdds);
    return;
  }
  // Where it is deleted because of its age, its hash or that of a later one is kept.
  const ends = line === undefined ? await store.chain(chain).readEnds() : undefined;
  if (ends !== undefined && (ends.anchor.seq !== last.seq || ends.anchor.hash !== last.hash)) {
    const { anchor } = ends;
    log.error({ auditLogSeq: last.seq, deletedSeq: anchor.seq }, `${atOdds}: what follows on the log is deleted`);
  }
  await writeFrom(chain, last.seq + 1, head.seq);

  async function writeFrom(name: string, firstSeq: number, lastSeq: number): Promise<void> {
    for (let seq = firstSeq; seq <= lastSeq; ) {
      const blocks = await store.chain(name).read({ seq, direction: "newer", limit: 8 });
      if (blocks.length === 0) return;
      for (const block of blocks) {
        await sink.write(block.lines.slice(Math.max(0, seq - block.firstSeq)));
        seq = block.lastSeq + 1;
      }
    }
  }
}

function readHeadOf(line: string | undefined): NamedHead | undefined {
  if (line === undefined) return undefined;
  try {
    const { seq, hash, chain = firstChain } = JSON.parse(line) as Partial<NamedHead>;
    return typeof seq === "number" && typeof hash === "string" ? { seq, hash, chain } : undefined;
  } catch {
    return undefined;
  }
}

const atOdds = "the audit log and the store's records are at odds";
