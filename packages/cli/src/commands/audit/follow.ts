import type { AuditQuery, AuditRecord, HubClient } from "@fairlead/contract";
import { Backoff, isFairleadError } from "@fairlead/kernel";
import { pause } from "../../files/index.ts";

/**
 * Records without an end: a connection that breaks is made again, and goes on where it was, with none twice. Each of several
 * hubs counts its own, and their records may come a little later than others of the same time.
 */
export async function* followRecords(options: {
  readonly client: Pick<HubClient, "streamAudit">;
  readonly query: AuditQuery;
  readonly signal: AbortSignal;
  readonly remark: (text: string) => void;
}): AsyncGenerator<AuditRecord> {
  const { client, signal, remark } = options;
  let { query } = options;
  const lastSeqs = new Map<string, number>();
  let firstAt: string | undefined;
  const backoff = new Backoff({ baseMs: 500, maxMs: 30_000 });
  for (;;) {
    try {
      for await (const record of client.streamAudit(query, { signal })) {
        const { chain = "", seq, at } = record;
        if (seq <= (lastSeqs.get(chain) ?? 0)) continue;
        lastSeqs.set(chain, seq);
        firstAt ??= options.query.since ?? at;
        query = {
          ...query,
          since: chain === "" ? at : later(firstAt, new Date(Date.parse(at) - lateMs).toISOString()),
        };
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

function later(one: string, other: string): string {
  return Date.parse(one) > Date.parse(other) ? one : other;
}

/** By so much may one hub's records come later than another's. */
const lateMs = 60_000;
