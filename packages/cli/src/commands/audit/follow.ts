import type { AuditQuery, AuditRecord, HubClient } from "@fairlead/contract";
import { streamAgain } from "../stream-again.ts";

/**
 * Records without an end: a connection that breaks is made again, and goes on where it was, with none twice. Each of several
 * hubs counts its own, and their records may come a little later than others of the same time.
 */
export function followRecords(options: {
  readonly client: Pick<HubClient, "streamAudit">;
  readonly query: AuditQuery;
  readonly signal: AbortSignal;
  readonly remark: (text: string) => void;
}): AsyncIterable<AuditRecord> {
  const { client, signal, remark } = options;
  let { query } = options;
  const lastSeqs = new Map<string, number>();
  let firstAt: string | undefined;
  return streamAgain({
    open: readOn,
    async isOver() {
      remark("The hub ended the stream; asking again.");
      return false;
    },
    pauseMs: { baseMs: 500, maxMs: 30_000 },
    signal,
    remark,
  });

  async function* readOn(): AsyncGenerator<AuditRecord> {
    for await (const record of client.streamAudit(query, { signal })) {
      const { chain = "", seq, at } = record;
      if (seq <= (lastSeqs.get(chain) ?? 0)) continue;
      lastSeqs.set(chain, seq);
      firstAt ??= options.query.since ?? at;
      query = {
        ...query,
        since: chain === "" ? at : later(firstAt, new Date(Date.parse(at) - lateMs).toISOString()),
      };
      yield record;
    }
  }
}

function later(one: string, other: string): string {
  return Date.parse(one) > Date.parse(other) ? one : other;
}

/** By so much may one hub's records come later than another's. */
const lateMs = 60_000;
