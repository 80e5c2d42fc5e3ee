// Sends a log as it grows, from where the hub's copy ends. Whatever breaks, the next chunk begins at the byte that the
// hub says it lacks.
import { promisify } from "node:util";
import { gzip } from "node:zlib";
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
  /** The hub has all of it, or takes no more. */
  readonly isDone: boolean;
}

export function createLogSender(options: {
  readonly id: string;
  readonly epoch: bigint;
  readonly from: number;
  readonly spool: LogSpool;
  readonly hub: CommandHub;
  readonly clock: Clock;
}): LogSender {
  const { id, epoch, spool, hub, clock } = options;
  const backoff = new Backoff({ baseMs: 500, maxMs: 10_000 });
  let offset = options.from;
  let sentBytes = 0;
  let hasEnded = false;
  let isDone = false;
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
    get isDone() {
      return isDone;
    },
    async run(signal) {
      while (!isDone) {
        signal.throwIfAborted();
        if (offset < spool.end) isDone = !(await sendNext(signal));
        else if (hasEnded) isDone = true;
        else await untilGrown(signal);
      }
    },
  };

  /** False when the hub takes no more. */
  async function sendNext(signal: AbortSignal): Promise<boolean> {
    const bytes = await spool.read(offset, chunkBytes);
    const chunk = await compress(bytes, { level: 4 });
    const answer = await hub.insist(
      (client, call) => client.appendLog({ id, epoch, offset: BigInt(offset), chunk }, call),
      signal,
    );
    const next = Number(answer.acknowledgedOffset);
    // It lacks what this agent never had: the part that another one wrote and couldn't send.
    if (!answer.accepted || next < spool.base) return false;
    if (next === offset) await sleep(backoff.nextMs(), { clock, signal });
    else backoff.reset();
    sentBytes += Math.max(0, next - offset);
    offset = next;
    if (answer.waitMs > 0) await sleep(answer.waitMs, { clock, signal });
    return true;
  }

  async function untilGrown(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    await orAbort(promise, signal);
    // Lines come in bunches.
    if (!hasEnded) await sleep(gatherMs, { clock, signal });
  }
}

const compress = promisify(gzip);
const chunkBytes = 256 * 1024;
const gatherMs = 300;
