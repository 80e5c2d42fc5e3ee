import type { Logger } from "../../platform/telemetry/index.ts";
import type { AuditSink } from "./sink.ts";
import type { AuditStore } from "./store.ts";
import type { Head } from "./types.ts";

/** Gives the audit log what it lacks of the store's newest records, and says so when the two don't agree. */
export async function catchUp(options: {
  readonly sink: AuditSink;
  readonly store: AuditStore;
  readonly head: Head;
  readonly log: Logger;
}): Promise<void> {
  const { sink, store, head, log } = options;
  const last = readHeadOf(sink.lastLine);
  if (!last || last.seq === 0) return;
  const [block] = last.seq > head.seq ? [] : await store.read({ seq: last.seq, direction: "older", limit: 1 });
  const line = block?.lines[last.seq - block.firstSeq];
  if (last.seq > head.seq || (line !== undefined && line !== sink.lastLine)) {
    // The store was set back, by a restored backup or by someone.
    log.error({ auditLogSeq: last.seq, storeSeq: head.seq }, "the audit log and the store's records are at odds");
    return;
  }
  for (let seq = last.seq + 1; seq <= head.seq; ) {
    const blocks = await store.read({ seq, direction: "newer", limit: 8 });
    if (blocks.length === 0) return;
    for (const { firstSeq, lastSeq, lines } of blocks) {
      await sink.write(lines.slice(Math.max(0, seq - firstSeq)));
      seq = lastSeq + 1;
    }
  }
}

function readHeadOf(line: string | undefined): Head | undefined {
  if (line === undefined) return undefined;
  try {
    const { seq, hash } = JSON.parse(line) as Partial<Head>;
    return typeof seq === "number" && typeof hash === "string" ? { seq, hash } : undefined;
  } catch {
    return undefined;
  }
}
