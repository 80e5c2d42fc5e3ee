// The log of one run: lines are masked, put into the spool, and sent from there. Lines that come in one go are masked and
// written in one go: a program may say more lines a second than a disk takes writes.
import { type KnownSecrets, LogMask, type MaskedBytes } from "../../redact/index.ts";
import type { RunLog } from "../types.ts";
import type { LogSpool } from "./spool.ts";

export interface WritableRunLog extends RunLog {
  /** Lets out what was held back. Lines that come later are left out. */
  end(): void;
}

export function createRunLog(options: {
  readonly spool: LogSpool;
  readonly secrets: KnownSecrets;
  readonly onGrown: () => void;
}): WritableRunLog {
  const { spool, secrets, onGrown } = options;
  const mask = new LogMask(secrets);
  let hasEnded = false;
  /** Without their ends. */
  let waiting: string[] = [];
  let waitingLength = 0;
  /** The last of them goes on. */
  let isInside = false;
  let willFlush = false;
  return {
    line(text, isCut = false) {
      if (hasEnded) return;
      const line = text.charCodeAt(text.length - 1) === newline ? text.slice(0, -1) : text;
      if (isInside && waiting.length > 0) waiting[waiting.length - 1] += line;
      else waiting.push(line);
      isInside = isCut;
      waitingLength += line.length + 1;
      if (waitingLength >= mostWaiting) return flush();
      if (willFlush) return;
      willFlush = true;
      setImmediate(() => {
        willFlush = false;
        flush();
      });
    },
    end() {
      if (hasEnded) return;
      flush();
      hasEnded = true;
      keep(mask.end());
    },
  };

  function flush(): void {
    if (waiting.length === 0) return;
    if (!isInside) waiting.push("");
    const text = waiting.join("\n");
    waiting = [];
    waitingLength = 0;
    keep(mask.push(encode(text)));
  }

  function keep(bytes: MaskedBytes): void {
    if (bytes.length === 0) return;
    spool.append(bytes);
    onGrown();
  }
}

/** Valid until the next call: what is let out is written at once, and what is held back is copied. */
function encode(text: string): Buffer {
  if (text.length > scratch.length / mostBytesOfUnit) return Buffer.from(text);
  return scratch.subarray(0, scratch.write(text));
}

const newline = 10;
const mostWaiting = 64 * 1024;
/** UTF-8 has no more for each unit of a string. */
const mostBytesOfUnit = 3;
/** Lines are gathered to this and one more. A new one for each bunch costs as much as writing it. */
const scratch: Buffer = Buffer.allocUnsafeSlow(2 * mostWaiting * mostBytesOfUnit);
