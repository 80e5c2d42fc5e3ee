// The log of one claim with its way to the hub, and the secrets that are masked in it.
import { KnownSecrets, redactText } from "../redact/index.ts";
import type { ExecuteDependencies } from "./dependencies.ts";
import { createLogSender, createRunLog, LogSpool, removeSpool, type SpoolRoom, tellLost } from "./log/index.ts";
import { plainLine } from "./plain-line.ts";
import type { RunLog } from "./types.ts";

export interface TaskLog extends RunLog, Disposable {
  readonly secrets: KnownSecrets;
  mask(text: string): string;
  /** Undefined while there is room for more of it; else resolves when there is. */
  readonly untilRoom: SpoolRoom["untilFree"];
  /** Lets out what was held back, and says how long the log is. */
  end(): number;
  /** When the hub has all of it, or takes no more. */
  readonly sent: Promise<unknown>;
  readonly isSent: boolean;
  readonly sentBytes: number;
  /** After the outcome is told: the hub says in the log what nobody can send it any more. */
  tellLost(signal: AbortSignal): Promise<void>;
}

export function openTaskLog(
  options: Pick<ExecuteDependencies, "folder" | "logs" | "hub" | "clock" | "counters" | "signal">,
  claim: {
    readonly command: { readonly id: string; readonly epoch: bigint; readonly logOffset: bigint };
    /** The claim before wrote to another disk. */
    readonly isLogElsewhere: boolean;
  },
): TaskLog {
  const { folder, logs, hub, clock, counters, signal } = options;
  const { id, epoch, logOffset } = claim.command;
  const from = Number(logOffset);
  const secrets = new KnownSecrets();
  // A copy of a still earlier claim isn't what the log goes on with.
  if (claim.isLogElsewhere) removeSpool(folder, id);
  const spool = new LogSpool({ folder, id, from, ...logs });
  const sender = createLogSender({ id, epoch, from, spool, hub, clock });
  const log = createRunLog({ spool, secrets, onGrown: sender.grown });
  if (claim.isLogElsewhere) log.line(elsewhereLine);
  const leaving = new AbortController();
  const sent = sender.run(AbortSignal.any([signal, leaving.signal])).catch(() => undefined);
  return {
    secrets,
    sent,
    get isSent() {
      return sender.isDone;
    },
    get sentBytes() {
      return sender.sentBytes;
    },
    async tellLost(until) {
      const { isDone, offset } = sender;
      if (!isDone) return;
      if (offset < spool.end) await tellLost({ id, epoch, offset, hub }, until);
      spool.remove();
    },
    line: (text, isCut) => log.line(plainLine(text), isCut),
    untilRoom: logs.room.untilFree,
    mask: (text) => redactText(secrets, text),
    end() {
      log.end();
      sender.end();
      return spool.end;
    },
    [Symbol.dispose]() {
      leaving.abort(new Error("The log isn't sent any more."));
      counters.logBytes += sender.sentBytes;
      // The bytes that the hub lacks stay for the next claim in this pod.
      if (sender.isDone && !sender.isMoved) spool.remove();
      else spool[Symbol.dispose]();
    },
  };
}

const elsewhereLine =
  "[fairlead] Another agent goes on here. Lines that the agent before it hadn't sent to the hub are missing.";
