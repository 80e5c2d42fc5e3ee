// The log of one run: lines are masked, put into the spool, and sent from there. Lines that come in one go are written in
// one go: a program may say more lines a second than a disk takes writes.
import { redact } from "@fairlead/kernel";
import { type KnownSecrets, MaskingStream } from "../../redact/index.ts";
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
  const stream = new MaskingStream(secrets);
  let hasEnded = false;
  let waiting = "";
  let willFlush = false;
  return {
    line(text) {
      if (hasEnded) return;
      waiting += text.endsWith("\n") ? text : `${text}\n`;
      if (waiting.length >= mostWaiting) return flush();
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
      keep(stream.end());
    },
  };

  function flush(): void {
    if (waiting === "") return;
    const text = waiting;
    waiting = "";
    // Known values first: what looks like a credential is masked afterwards, and might cut a value in two before.
    keep(stream.push(Buffer.from(text)));
  }

  function keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    spool.append(Buffer.from(redact(Buffer.from(bytes).toString())));
    onGrown();
  }
}

const mostWaiting = 64 * 1024;
