// A run until it has ended: its log, on the hub's live socket, which says how the run is, too. A hub that doesn't know of
// that, or isn't reached that way, is asked by requests. A connection that breaks is made again, and goes on at the byte where
// it was.
import { type HubClient, liveEnded, type Command as Run } from "@fairlead/contract/client";
import type { OpenLive } from "../../connection/index.ts";
import { streamAgain } from "../stream-again.ts";
import { lookAtRun } from "./look-at-run.ts";

export interface RunFollowing {
  readonly hub: Pick<HubClient, "readCommandLog" | "getCommand">;
  readonly live: OpenLive;
  readonly id: string;
  /** False: the log may be left out. */
  readonly wantsLog: boolean;
  readonly wantsTimes?: boolean | undefined;
  /** The run is in another state than before. */
  readonly onRun?: ((run: Run) => void) | undefined;
  readonly signal: AbortSignal;
  readonly remark: (text: string) => void;
}

export interface LogPart {
  readonly bytes: Uint8Array;
  /** RFC 3339: when the hub received them, or when they came here. Absent unless times are wanted. */
  readonly at?: string | undefined;
}

/** Its log. */
export async function* followRun(following: RunFollowing): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of followTimed(following)) yield bytes;
}

/** Its log with times, where they are wanted. */
export function followTimed(following: RunFollowing): AsyncIterable<LogPart> {
  const { hub, live, id, wantsLog, wantsTimes = false, onRun, signal, remark } = following;
  let offset = 0;
  let hasEnded = false;
  return streamAgain({
    open: readOn,
    isOver: async () => hasEnded || (await hub.getCommand(id, { signal })).finishedAt !== undefined,
    pauseMs: { baseMs: 200, maxMs: 10_000 },
    signal,
    remark,
  });

  async function* readOn(): AsyncGenerator<LogPart> {
    for await (const part of readEitherWay()) {
      offset += part.bytes.byteLength;
      yield part;
    }
  }

  async function* readEitherWay(): AsyncGenerator<LogPart> {
    let isUnderstood = false;
    try {
      using socket = await live({ silentMs });
      const timestamps = wantsTimes ? { timestamps: true } : {};
      const log = wantsLog ? { logFrom: offset, ...timestamps } : {};
      socket.send({ type: "follow-run", id: subscription, run: id, ...log });
      for await (const message of socket.messages) {
        isUnderstood = true;
        if (message.type === "error") throw liveEnded(message);
        hasEnded = message.type === "ended";
        if (hasEnded) return;
        if (message.type === "run") onRun?.(message.run);
        if (message.type === "log") yield { bytes: Buffer.from(message.data, "base64"), at: message.at };
        socket.send({ type: "credit", id: subscription, add: 1 });
      }
    } catch (thrown) {
      signal.throwIfAborted();
      if (isUnderstood) throw thrown;
    }
    yield* readByRequests();
  }

  async function* readByRequests(): AsyncGenerator<LogPart> {
    using _looking = onRun && lookAtRun({ hub, id, onRun, signal });
    for await (const bytes of hub.readCommandLog(id, { offset, follow: true }, { signal }))
      yield { bytes, ...(wantsTimes && { at: new Date().toISOString() }) };
  }
}

const subscription = "1";
/** A run may have nothing to say for long; the hub's pings come twice as often. */
const silentMs = 60_000;
