import type { HubClient } from "@fairlead/contract";
import { Backoff, isFairleadError } from "@fairlead/kernel";
import { pause } from "../../files/index.ts";

/** A run's log until the run has ended. A connection that breaks is made again, and goes on at the byte where it was. */
export async function* followLog(options: {
  readonly hub: Pick<HubClient, "readCommandLog" | "getCommand">;
  readonly id: string;
  readonly signal: AbortSignal;
  readonly remark: (text: string) => void;
}): AsyncGenerator<Uint8Array> {
  const { hub, id, signal, remark } = options;
  const backoff = new Backoff({ baseMs: 200, maxMs: 10_000 });
  let offset = 0;
  for (;;) {
    try {
      for await (const bytes of hub.readCommandLog(id, { offset, follow: true }, { signal })) {
        offset += bytes.byteLength;
        backoff.reset();
        yield bytes;
      }
      if ((await hub.getCommand(id, { signal })).finishedAt !== undefined) return;
    } catch (thrown) {
      signal.throwIfAborted();
      if (!isFairleadError(thrown) || !thrown.retryable) throw thrown;
      remark(`${thrown.message} Trying again.`);
    }
    await pause(backoff.nextMs(), signal);
  }
}
