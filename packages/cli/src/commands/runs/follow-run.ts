// A run until it has ended: its log, on the hub's live socket, which says how the run is, too. A hub that doesn't know of
// that, or isn't reached that way, is asked by requests. A connection that breaks is made again, and goes on at the byte where
// it was.
import { type HubClient, liveEnded, type Command as Run } from "@fairlead/contract";
import type { OpenLive } from "../../connection/index.ts";
import { streamAgain } from "../stream-again.ts";
import { lookAtRun } from "./look-at-run.ts";

export interface RunFollowing {
  readonly hub: Pick<HubClient, "readCommandLog" | "getCommand">;
  readonly live: OpenLive;
  readonly id: string;
  /** False: the log may be left out. */
  readonly wantsLog: boolean;
  /** The run is in another state than before. */
  readonly onRun?: ((run: Run) => void) | undefined;
  readonly signal: AbortSignal;
  readonly remark: (text: string) => void;
}

/** Its log. */
export function followRun(following: RunFollowing): AsyncIterable<Uint8Array> {
  const { hub, live, id, wantsLog, onRun, signal, remark } = following;
  let offset = 0;
  let hasEnded = false;
  return streamAgain({
    open: readOn,
    isOver: async () => hasEnded || (await hub.getCommand(id, { signal })).finishedAt !== undefined,
    pauseMs: { baseMs: 200, maxMs: 10_000 },
    signal,
    remark,
  });

  async function* readOn(): AsyncGenerator<Uint8Array> {
    for await (const bytes of readEitherWay()) {
      offset += bytes.byteLength;
      yield bytes;
    }
  }

  async function* readEitherWay(): AsyncGenerator<Uint8Array> {
    let isUnderstood = false;
    try {
      using socket = await live({ silentMs });
      socket.send({ type: "follow-run", id: subscription, run: id, ...(wantsLog ? { logFrom: offset } : {}) });
      for await (const message of socket.messages) {
        isUnderstood = true;
        if (message.type === "error") throw liveEnded(message);
        hasEnded = message.type === "ended";
        if (hasEnded) return;
        if (message.type === "run") onRun?.(message.run);
        if (message.type === "log") yield Buffer.from(message.data, "base64");
        socket.send({ type: "credit", id: subscription, add: 1 });
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (isUnderstood) throw thrown;
    }
    yield* readByRequests();
  }

  async function* readByRequests(): AsyncGenerator<Uint8Array> {
    using _looking = onRun && lookAtRun({ hub, id, onRun, signal });
    yield* hub.readCommandLog(id, { offset, follow: true }, { signal });
  }
}

const subscription = "1";
/** A run may have nothing to say for long; the hub's pings come twice as often. */
const silentMs = 60_000;
