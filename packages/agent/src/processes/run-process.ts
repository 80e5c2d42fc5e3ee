// Runs a program in a process group of its own. It is stopped in steps (SIGINT, SIGTERM, and SIGKILL where that is safe),
// and none of its group outlives it. A shell in the group watches a pipe from the agent: when the agent dies, however, the
// group is stopped in the same steps, well before another agent may claim the command.
import { type ChildProcess, spawn } from "node:child_process";
import { type Clock, onAbort, reasonOf, sleep } from "@fairlead/kernel";
import type { ChildEnvironment } from "./environment.ts";
import { processErrors } from "./errors.ts";
import type { FoundProgram } from "./find-program.ts";
import { LineSplitter, type OnLine } from "./split-lines.ts";

export interface ProcessOptions {
  readonly program: FoundProgram;
  /** No secrets: anybody on the machine can read them. */
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: ChildEnvironment;
  readonly stdin?: string | Uint8Array | undefined;
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
  /** The most memory of each of its processes; undefined: as much as there is. */
  readonly memoryBytes?: number | undefined;
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

/** Resolves when nothing of the group is left. Throws PROCESS_NOT_STARTED and PROCESS_OUTPUT_TOO_LARGE. */
export async function runProcess(options: ProcessOptions): Promise<ProcessResult> {
  const { program, args, folder, environment, stdin, onStderr, memoryBytes, clock } = options;
  const memory = memoryBytes === undefined ? "" : String(Math.floor(memoryBytes / 1024));
  const child = spawn("/bin/sh", ["-c", leash, "sh", memory, program.path, ...args], {
    cwd: folder,
    env: environment,
    detached: true,
    // The last one is the leash: it ends when this process does.
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const ended = awaitEnd(child, program.name);
  // A program that doesn't read its input, or isn't there any more.
  child.stdin?.on("error", () => undefined);
  child.stdin?.end(stdin);
  const errors = new LineSplitter({ onLine: onStderr });
  child.stderr?.on("data", (chunk: Buffer) => errors.push(chunk));
  const output = takeOutput(child, options);
  const held = holdOutput(child, options.untilRoom);
  using stop = new DisposableStack();
  if (child.pid !== undefined) stop.use(stopInSteps(child.pid, options, output.tooLarge));
  const exitCode = await ended.exited;
  stop.dispose();
  // There is no more of it than a pipe holds.
  held.letGo();
  if (child.pid !== undefined) await endGroup(child.pid, clock);
  await Promise.race([ended.closed, sleep(closeMs, { clock })]);
  for (const stream of child.stdio) stream?.destroy();
  errors.end();
  return { exitCode, stdout: output.end() };
}

function awaitEnd(child: ChildProcess, program: string) {
  const exited = new Promise<number>((resolve, reject) => {
    child.once("error", (error) => {
      reject(processErrors.PROCESS_NOT_STARTED({ program, reason: reasonOf(error), cause: error }));
    });
    child.once("exit", (code) => resolve(code ?? killedCode));
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return { exited, closed };
}

/**
 * Stops reading while there is no room. Output stays in the program's pipe, and when that is full the program waits.
 */
function holdOutput({ stdout, stderr }: ChildProcess, untilRoom: ProcessOptions["untilRoom"]): { letGo(): void } {
  let isOver = false;
  for (const stream of [stdout, stderr])
    stream?.on("data", () => {
      const room = isOver ? undefined : untilRoom?.();
      if (room === undefined) return;
      stream.pause();
      void room.then(() => stream.resume());
    });
  return {
    letGo() {
      isOver = true;
      stdout?.resume();
      stderr?.resume();
    },
  };
}

interface Output {
  /** Aborts when more came than is gathered. */
  readonly tooLarge: AbortSignal;
  end(): Buffer;
}

function takeOutput(child: ChildProcess, { program, onStdout }: ProcessOptions): Output {
  const tooLarge = new AbortController();
  const lines = onStdout && new LineSplitter({ onLine: onStdout });
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
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
function stopInSteps(
  group: number,
  { signal, forced, pace, clock }: ProcessOptions,
  tooLarge: AbortSignal,
): Disposable {
  const stack = new DisposableStack();
  let isTerminating = false;
  const terminate = (): void => {
    if (isTerminating) return;
    isTerminating = true;
    signalGroup(group, "SIGTERM");
    if (pace.terminateMs !== "never") stack.defer(clock.after(pace.terminateMs, () => signalGroup(group, "SIGKILL")));
  };
  stack.use(
    onAbort(signal, () => {
      if (isTerminating || forced.aborted) return;
      signalGroup(group, "SIGINT");
      stack.defer(clock.after(pace.interruptMs, terminate));
    }),
  );
  stack.use(onAbort(forced, terminate));
  stack.use(onAbort(tooLarge, terminate));
  return stack;
}

/** Ends the processes that the program left behind in its group. */
async function endGroup(group: number, clock: Clock): Promise<void> {
  if (!signalGroup(group, "SIGTERM")) return;
  await sleep(leftoverMs, { clock });
  signalGroup(group, "SIGKILL");
}

/** False when nobody is in it. */
function signalGroup(group: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * The shell stays the parent, so that it takes the exit codes of all its children: an agent that is the first process of
 * its container can't. `read` returns when the agent's end of the pipe is closed. The steps take 20 s together, and a lease
 * takes longer to end. A trap that does something isn't inherited: the program gets its signals.
 *
 * A limit of memory is that of what a process may write to (RLIMIT_DATA). Where the machine's memory ends all the same, the
 * kernel takes what is in the group before it takes the agent.
 */
const leash = `
[ -z "$1" ] || { ulimit -d "$1"; } 2>/dev/null
{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null
shift
( trap '' INT TERM
  read -r _ <&3
  kill -INT 0; sleep 12
  kill -TERM 0; sleep 8
  kill -KILL 0 ) </dev/null >/dev/null 2>&1 &
leash=$!
trap : INT TERM
"$@" 3<&-
code=$?
kill -KILL "$leash"
wait "$leash" 2>/dev/null
exit "$code"
`;
const maxGatheredBytes = 64 * 1024 * 1024;
/** SIGKILL took the shell with it. */
const killedCode = 137;
/** For what is left of a group when its program has ended. */
const leftoverMs = 250;
const closeMs = 2_000;
