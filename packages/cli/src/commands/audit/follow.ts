import type { AuditQuery, AuditRecord, HubClient } from "@fairlead/contract";
import { Backoff, isFairleadError } from "@fairlead/kernel";
import { pause } from "../../files/index.ts";

/** Records without an end: a connection that breaks is made again, and goes on where it was, with none twice. */
export async function* followRecords(options: {
  readonly client: Pick<HubClient, "streamAudit">;
  readonly query: AuditQuery;
  readonly signal: AbortSignal;
  readonly remark: (text: string) => void;
}): AsyncGenerator<AuditRecord> {
  const { client, signal, remark } = options;
  let { query } = options;
  let lastSeq = 0;
  const backoff = new Backoff({ baseMs: 500, maxMs: 30_000 });
  for (;;) {
    try {
      for await (const record of client.streamAudit(query, { signal })) {
        if (record.seq <= lastSeq) continue;
        lastSeq = record.seq;
        query = { ...query, since: record.at };
        backoff.reset();
        yield record;
      }
      remark("The hub ended the stream; asking again.");
    } catch (thrown) {
      signal.throwIfAborted();
      if (!isFairleadError(thrown) || !thrown.retryable) throw thrown;
      remark(`${thrown.message} Trying again.`);
    }
    await pause(backoff.nextMs(), signal);
  }
}
