// Runs a program to its end. It is stopped in steps (SIGINT, SIGTERM, and SIGKILL where that is safe), and nothing of it
// outlives it.
import { type Clock, onAbort, sleep } from "@fairlead/kernel";
import type { Child, ChildOptions } from "./child.ts";
import { processErrors } from "./errors.ts";
import type { ProcessFence } from "./fence.ts";
import { startFencedChild } from "./fenced-child.ts";
import { startLeashedChild } from "./leashed-child.ts";
import { LineSplitter, type OnLine } from "./split-lines.ts";

/** `args` hold no secrets: anybody on the machine can read them. */
export interface ProcessOptions extends ChildOptions {
  /** Gets stdout line by line; without this function stdout is gathered. */
  readonly onStdout?: OnLine | undefined;
  readonly onStderr: OnLine;
  /** Asked after each piece of output: the program's next one isn't read before it resolves. */
  readonly untilRoom?: (() => Promise<void> | undefined) | undefined;
  /** SIGINT, then by `pace`. */
  readonly signal: AbortSignal;
  /** SIGTERM at once, then by `pace`. */
  readonly forced: AbortSignal;
  readonly pace: StopPace;
  /** Undefined: it has the agent's own rights on this machine. */
  readonly fence?: ProcessFence | undefined;
  readonly clock: Clock;
}

export interface StopPace {
  /** From SIGINT to SIGTERM. */
  readonly interruptMs: number;
  /** From SIGTERM to SIGKILL; `never` for what must not be killed while the agent lives. */
  readonly terminateMs: number | "never";
}

export interface ProcessResult {
  /** As a shell says it: 128 and the signal's number when a signal ended it. */
  readonly exitCode: number;
  /** Empty with `onStdout`. */
  readonly stdout: Buffer;
}

/** Resolves when nothing of it is left. Throws PROCESS_NOT_STARTED and PROCESS_OUTPUT_TOO_LARGE. */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const { onStderr, fence, clock } = options;
  const child = fence === undefined ? startLeashedChild(options) : startFencedChild({ ...options, fence });
  const errors = new LineSplitter({ onLine: onStderr });
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  const output = takeOutput(child, options);
  const held = holdOutput(child, options.untilRoom);
  using stop = stopInSteps(child, options, output.tooLarge);
  try {
    const exitCode = await child.exited;
    stop[Symbol.dispose]();
    // There is no more of it than a pipe holds.
    held.letGo();
    await child.endRest();
    await Promise.race([child.closed, sleep(closeMs, { clock })]);
    errors.end();
    return { exitCode, stdout: output.end() };
  } finally {
    child.destroy();
  }
}

/**
 * Stops reading while there is no room. Output stays in the program's pipe, and when that is full the program waits.
 */
function holdOutput({ stdout, stderr }: Child, untilRoom: ProcessOptions["untilRoom"]): { letGo(): void } {
  let isOver = false;
  for (const stream of [stdout, stderr])
    stream.on("data", () => {
      const room = isOver ? undefined : untilRoom?.();
      if (room === undefined) return;
      stream.pause();
      void room.then(() => stream.resume());
    });
  return {
    letGo() {
      isOver = true;
      stdout.resume();
      stderr.resume();
    },
  };
}

interface Output {
  /** Aborts when more came than is gathered. */
  readonly tooLarge: AbortSignal;
  end(): Buffer;
}

function takeOutput(child: Child, { program, onStdout }: ProcessOptions): Output {
  const tooLarge = new AbortController();
  const lines = onStdout && new LineSplitter({ onLine: onStdout });
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    if (lines) return lines.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes <= maxGatheredBytes) chunks.push(chunk);
    else tooLarge.abort();
  });
  return {
    tooLarge: tooLarge.signal,
    end() {
      lines?.end();
      if (sizeBytes > maxGatheredBytes)
        throw processErrors.PROCESS_OUTPUT_TOO_LARGE({ program: program.name, limitBytes: maxGatheredBytes });
      return Buffer.concat(chunks);
    },
  };
}

/** Listens until it is disposed of. */
function stopInSteps(child: Child, { signal, forced, pace, clock }: ProcessOptions, tooLarge: AbortSignal): Disposable {
  const stack = new DisposableStack();
  let isTerminating = false;
  const terminate = (): void => {
    if (isTerminating) return;
    isTerminating = true;
    child.signal("SIGTERM");
    if (pace.terminateMs !== "never") stack.defer(clock.after(pace.terminateMs, () => child.signal("SIGKILL")));
  };
  stack.use(
    onAbort(signal, () => {
      if (isTerminating || forced.aborted) return;
      child.signal("SIGINT");
      stack.defer(clock.after(pace.interruptMs, terminate));
    }),
  );
  stack.use(onAbort(forced, terminate));
  stack.use(onAbort(tooLarge, terminate));
  return stack;
}

const maxGatheredBytes = 64 * 1024 * 1024;
const closeMs = 2_000;
