import type { HubClient } from "@fairlead/contract";
import { streamAgain } from "../stream-again.ts";

/** A run's log until the run has ended. A connection that breaks is made again, and goes on at the byte where it was. */
export function followLog(options: {
  readonly hub: Pick<HubClient, "readCommandLog" | "getCommand">;
  readonly id: string;
  readonly signal: AbortSignal;
  readonly remark: (text: string) => void;
}): AsyncIterable<Uint8Array> {
  const { hub, id, signal, remark } = options;
  let offset = 0;
  return streamAgain({
    open: readOn,
    isOver: async () => (await hub.getCommand(id, { signal })).finishedAt !== undefined,
    pauseMs: { baseMs: 200, maxMs: 10_000 },
    ...{ signal, remark },
  });

  async function* readOn(): AsyncGenerator<Uint8Array> {
    for await (const bytes of hub.readCommandLog(id, { offset, follow: true }, { signal })) {
      offset += bytes.byteLength;
      yield bytes;
    }
  }
}
