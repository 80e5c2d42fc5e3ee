// Sends a log as it grows, from where the hub's copy ends. Whatever breaks, the next chunk begins at the byte that the
// hub says it lacks. A hub that refuses a chunk gets smaller ones.
import { Code, ConnectError } from "@connectrpc/connect";
import { Backoff, type Clock, orAbort, sleep } from "@fairlead/kernel";
import type { CommandHub } from "../command-hub.ts";
import type { LogSpool } from "./spool.ts";

export interface LogSender {
  /** Until the log has ended and the hub has it all, or takes no more of it. */
  run(signal: AbortSignal): Promise<void>;
  grown(): void;
  /** The log is complete. */
  end(): void;
  readonly sentBytes: number;
  /** The hub has all before it, as far as it says. */
  readonly offset: number;
  /** The hub has all of it, or takes no more. */
  readonly isDone: boolean;
  /** It takes no more since it doesn't count this claim: the files are those of the next one. */
  readonly isMoved: boolean;
}

export function createLogSender(options: {
  readonly id: string;
  readonly epoch: bigint;
  readonly from: number;
  readonly spool: LogSpool;
  /** Another claim writes to the spool's files by now, so that they stay. */
  readonly isTaken?: (() => boolean) | undefined;
  readonly hub: CommandHub;
  readonly clock: Clock;
}): LogSender {
  const { id, epoch, spool, hub, clock } = options;
  const backoff = new Backoff({ baseMs: 500, maxMs: 10_000 });
  let chunkBytes = mostChunkBytes;
  let offset = options.from;
  /** Chunks, since one was refused. */
  let takenInTurn = 0;
  let sentBytes = 0;
  let sentAtMs = Number.NEGATIVE_INFINITY;
  let hasEnded = false;
  let isDone = false;
  let isMoved = false;
  let wake = (): void => undefined;
  return {
    grown: () => wake(),
    end() {
      hasEnded = true;
      wake();
    },
    get sentBytes() {
      return sentBytes;
    },
    get offset() {
      return offset;
    },
    get isDone() {
      return isDone;
    },
    get isMoved() {
      return isMoved;
    },
    async run(signal) {
      while (!isDone) {
        signal.throwIfAborted();
        if (offset < spool.end) isDone = !(await sendNext(signal));
        else if (hasEnded) isDone = true;
        else await untilGrown(signal);
      }
      if (!isMoved && !options.isTaken?.()) spool.remove();
    },
  };

  /** False when the hub takes no more. */
  async function sendNext(signal: AbortSignal): Promise<boolean> {
    const bytes = spool.read(offset, mostChunkBytes);
    const answer = await hub.insist(
      async (client, call) => {
        const chunk = await bytes.first(chunkBytes).compress();
        return await client.appendLog({ id, epoch, offset: BigInt(offset), chunk }, call);
      },
      signal,
      (error) => {
        if (!isRefusal(error)) return;
        takenInTurn = 0;
        chunkBytes = Math.max(leastChunkBytes, chunkBytes / 2);
      },
    );
    sentAtMs = clock.steadyMs();
    const next = Number(answer.acknowledgedOffset);
    isMoved = isOfNoClaim(answer);
    // It lacks what this agent never had: the part that another one wrote and couldn't send.
    if (!answer.accepted || next < spool.base) return false;
    if (next === offset) await sleep(backoff.nextMs(), { clock, signal });
    else backoff.reset();
    if (next > offset && ++takenInTurn % 16 === 0) chunkBytes = Math.min(mostChunkBytes, chunkBytes * 2);
    sentBytes += Math.max(0, next - offset);
    offset = next;
    spool.release(offset);
    if (answer.waitMs > 0) await sleep(answer.waitMs, { clock, signal });
    return true;
  }

  async function untilGrown(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    await orAbort(promise, signal);
    // Lines come in bunches: the first one goes at once, those after it together.
    const restMs = sentAtMs + gatherMs - clock.steadyMs();
    if (!hasEnded && restMs > 0) await sleep(Math.min(restMs, gatherMs), { clock, signal });
  }
}

/** A hub that keeps no more of a log says how much it has; of a claim that it doesn't count it says nothing. */
export function isOfNoClaim(answer: { readonly accepted: boolean; readonly acknowledgedOffset: bigint }): boolean {
  return !answer.accepted && answer.acknowledgedOffset === 0n;
}

/** The hub, or what is before it, had the chunk and didn't want it: it may be too large (413). */
function isRefusal(error: unknown): boolean {
  const { code } = ConnectError.from(error);
  return code !== Code.Unavailable && code !== Code.Canceled && code !== Code.DeadlineExceeded;
}

const mostChunkBytes = 256 * 1024;
const leastChunkBytes = 4 * 1024;
const gatherMs = 300;
