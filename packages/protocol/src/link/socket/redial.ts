// The side that dials brings a lane back: at once, and then again and again until the link is over.
import { type Clock, type FairleadError, isFairleadError, sleep } from "@fairlead/kernel";
import type { RawData, WebSocket } from "ws";
import type { Session } from "../session/index.ts";
import { closeCodes, formatResume, parseResumeAnswer, readResume, wireErrors } from "../wire/index.ts";
import { connect, createCarrier } from "./connection.ts";
import { socketErrors } from "./errors.ts";
import type { RedialPace } from "./redial-pace.ts";

/** Opens another connection to where the link was opened to. */
export type DialAgain = (options: { readonly signal: AbortSignal; readonly timeoutMs: number }) => Promise<WebSocket>;

export interface RedialOptions {
  readonly session: Session;
  readonly lane: number;
  readonly dial: DialAgain;
  readonly clock: Clock;
  readonly highWaterBytes: number;
  /** Aborts when the link is over. */
  readonly signal: AbortSignal;
  readonly pace: RedialPace;
  /** Takes a connection whose peer doesn't know the link, and waits for the first frame of a new one. */
  readonly keepSpare?: ((webSocket: WebSocket) => void) | undefined;
  readonly random?: () => number;
}

/** Resolves when the lane has a connection again, or the link is over. */
export async function redial(options: RedialOptions): Promise<void> {
  const { session, lane, clock, signal, pace } = options;
  for (let attempt = pace.nextAttempt(lane); session.session !== undefined; attempt++) {
    await sleep(waitMs(options, attempt), { clock, signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await resume(options, attempt);
      pace.resumed(lane, attempt);
      return;
    } catch (thrown) {
      // A link without its bulk lane is as good as one that never had it. If it has lost the lane, it may find it again.
      if (isHopeless(thrown) && lane === 0) session.giveUp(thrown);
      else if (!session.isAwaiting(lane) && (isHopeless(thrown) || attempt >= mostUnneededAttempts)) return;
    }
  }
}

/**
 * Streams that wait are worth asking often for, so that they go on within a second or two of the network's return.
 * With none, nobody waits, and a hub that comes back shouldn't find all of its agents at the door.
 */
function waitMs({ session, random = Math.random }: RedialOptions, attempt: number): number {
  if (attempt === 0) return 0;
  const mostMs = session.streamCount === 0 ? Math.min(500 * 2 ** attempt, 8_000) : Math.min(200 * 2 ** attempt, 1_500);
  return mostMs * (0.5 + random() / 2);
}

async function resume(options: RedialOptions, attempt: number): Promise<void> {
  const { session, lane, dial, highWaterBytes, signal } = options;
  const keepSpare = lane === 0 ? options.keepSpare : undefined;
  // Short at first: on a path that has just come back, what was sent into the void is repeated slower and slower.
  const timeoutMs = Math.min(3_000 * (attempt + 1), 15_000);
  const webSocket = await dial({ signal, timeoutMs });
  const name = session.session;
  if (name === undefined) {
    webSocket.terminate();
    return;
  }
  const received = session.receivedOn(lane);
  let isSpare = false;
  const answered = firstMessage(webSocket, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]), (message) => {
    const answer = parseResumeAnswer(message);
    isSpare = "begin" in answer;
    if ("begin" in answer) throw socketErrors.LINK_SESSION_UNKNOWN();
    const carrier = createCarrier({ webSocket, isClient: true, highWaterBytes });
    if (!session.attach(lane, carrier, answer.received)) throw socketErrors.LINK_SESSION_UNKNOWN();
    connect({ webSocket, carrier, session, lane });
  });
  webSocket.send(formatResume({ session: name, lane, received, ...(keepSpare && { orBegin: true }) }));
  await answered.catch((thrown: unknown) => {
    if (isSpare && keepSpare) keepSpare(webSocket);
    else webSocket.terminate();
    throw thrown;
  });
}

/** `take` runs before the next message is read: that may be right behind. */
function firstMessage(webSocket: WebSocket, signal: AbortSignal, take: (json: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => settle(signal.reason);
    const onClose = (code: number): void =>
      settle(
        code === closeCodes.sessionUnknown ? socketErrors.LINK_SESSION_UNKNOWN() : wireErrors.LINK_SOCKET_FAILED(),
      );
    const onMessage = (message: RawData, isBinary: boolean): void => {
      try {
        const json = isBinary ? readResume(message) : undefined;
        if (json === undefined) throw socketErrors.LINK_SESSION_UNKNOWN();
        take(json);
        settle();
      } catch (thrown) {
        settle(thrown);
      }
    };
    signal.addEventListener("abort", abort, { once: true });
    webSocket.once("close", onClose);
    webSocket.once("message", onMessage);
    webSocket.on("error", ignore);

    function settle(error?: unknown): void {
      signal.removeEventListener("abort", abort);
      webSocket.off("close", onClose);
      webSocket.off("message", onMessage);
      if (error === undefined) resolve();
      else reject(error as Error);
    }
  });
}

/** Another try would end the same way. */
function isHopeless(thrown: unknown): thrown is FairleadError {
  return isFairleadError(thrown) && (socketErrors.is(thrown, "LINK_SESSION_UNKNOWN") || !thrown.retryable);
}

function ignore(): void {
  // The socket's close says the same.
}

/** The link does without its bulk lane after these. */
const mostUnneededAttempts = 4;
