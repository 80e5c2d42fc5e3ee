import { once } from "node:events";
import type { Writable } from "node:stream";
import { pause } from "../files/index.ts";
import { replayErrors } from "./errors.ts";
import { parseEvent, parseHead } from "./parse-cast.ts";
import { createScreenFilter } from "./screen-filter.ts";

export interface PlayOptions {
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly isTimed: boolean;
  readonly speed: number;
  readonly maxPauseMs: number | undefined;
  readonly signal: AbortSignal;
  readonly remark: (text: string) => void;
  readonly wait?: (delayMs: number, signal: AbortSignal) => Promise<void>;
}

/** Shows what was shown, at the pace it was shown at; the terminal is left as it was found. */
export async function playCast(lines: AsyncIterable<string>, options: PlayOptions): Promise<void> {
  const { stdout, isTimed, speed, maxPauseMs = Number.POSITIVE_INFINITY, signal, wait = pause } = options;
  const filter = createScreenFilter();
  let isBegun = false;
  let lastMs = 0;
  try {
    for await (const line of lines) {
      if (!isBegun) {
        remarkOnSize(parseHead(line), options);
        isBegun = true;
        continue;
      }
      const event = parseEvent(line);
      const pauseMs = Math.min(event.atMs - lastMs, maxPauseMs) / speed;
      lastMs = event.atMs;
      // Also before what isn't shown: someone typed then.
      if (isTimed && pauseMs > 0) await wait(pauseMs, signal);
      signal.throwIfAborted();
      if (event.kind === "o" && !stdout.write(filter.take(event.data))) await once(stdout, "drain", { signal });
    }
  } finally {
    if (isTimed && isBegun) stdout.write(restoreScreen);
  }
  if (!isBegun) throw replayErrors.CLI_RECORDING_INVALID({ why: "it is empty" });
}

function remarkOnSize({ width, height }: { width: number; height: number }, { stdout, remark }: PlayOptions): void {
  const { columns, rows } = stdout;
  // A terminal that doesn't know its size says 0.
  if (!columns || !rows || (columns >= width && rows >= height)) return;
  remark(`The session had ${width}x${height} characters; this terminal has ${columns}x${rows}.`);
}

/** Plain letters, the cursor shown, the main screen; below whatever was left there. */
const restoreScreen = "\u001b[!p\u001b[?7h\u001b[?1049l\u001b[?25h\u001b[0m\r\n";
