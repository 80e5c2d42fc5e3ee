// Sends the log of a command that ended without having sent all of it: what this disk has, and then that there is no more.
import type { Clock } from "@fairlead/kernel";
import { MaskedBytes } from "../../redact/index.ts";
import type { CommandHub } from "../command-hub.ts";
import { createLogSender, isOfNoClaim } from "./send-log.ts";
import { LogSpool, type SpoolOptions } from "./spool.ts";
import { untilSent } from "./until-sent.ts";

export interface OwedLogOptions {
  readonly id: string;
  readonly epoch: bigint;
  /** The length of the whole log; undefined while the command goes on. */
  readonly bytes: number | undefined;
  /** How many of them the hub has; it is asked where this is unknown. */
  readonly from?: number | undefined;
  readonly spool: Omit<SpoolOptions, "id" | "from">;
  /** Another claim writes to the files by now, so that they stay. */
  readonly isTaken: () => boolean;
  readonly hub: CommandHub;
  readonly clock: Clock;
  /** How long the hub may take nothing of it. */
  readonly patienceMs: number;
}

/** Resolves with whether nothing is owed any more: the hub has the log, knows what is missing, or wants none of it. */
export async function sendOwedLog(options: OwedLogOptions, signal: AbortSignal): Promise<boolean> {
  const { id, epoch, bytes, hub, clock, patienceMs, isTaken } = options;
  const asked = options.from ?? (await askOffset(options, signal));
  if (isTaken() || asked === "moved") return false;
  using spool = new LogSpool({ ...options.spool, id, from: asked ?? 0 });
  const sender = createLogSender({ id, epoch, from: asked ?? 0, spool, isTaken, hub, clock });
  sender.end();
  const leaving = new AbortController();
  const sent = asked === undefined ? Promise.resolve() : sender.run(AbortSignal.any([signal, leaving.signal]));
  const progress = {
    sent,
    get isSent() {
      return asked === undefined || sender.isDone;
    },
    get sentBytes() {
      return sender.sentBytes;
    },
  };
  try {
    await untilSent(progress, { clock, patienceMs, signal });
  } finally {
    leaving.abort(new Error("The log isn't sent any more."));
    await sent.catch(() => undefined);
  }
  if (!progress.isSent) return false;
  if (asked !== undefined && bytes !== undefined && sender.offset < bytes)
    await tellLost({ id, epoch, offset: sender.offset, hub }, signal);
  if (asked === undefined && !isTaken()) spool.remove();
  return true;
}

/** The hub says in the log how much of it is missing. */
export async function tellLost(
  { id, epoch, offset, hub }: Pick<OwedLogOptions, "id" | "epoch" | "hub"> & { readonly offset: number },
  signal: AbortSignal,
): Promise<void> {
  const chunk = await MaskedBytes.nothing.compress();
  await hub.insist(
    (client, call) => client.appendLog({ id, epoch, offset: BigInt(offset), chunk, lost: true }, call),
    signal,
  );
}

/** Undefined when the hub wants no more; moved when it doesn't count this claim. */
async function askOffset(
  { id, epoch, hub }: Pick<OwedLogOptions, "id" | "epoch" | "hub">,
  signal: AbortSignal,
): Promise<number | "moved" | undefined> {
  const chunk = await MaskedBytes.nothing.compress();
  const answer = await hub.insist((client, call) => client.appendLog({ id, epoch, offset: 0n, chunk }, call), signal);
  if (isOfNoClaim(answer)) return "moved";
  return answer.accepted ? Number(answer.acknowledgedOffset) : undefined;
}
