// Starts a program below a shell in a process group of its own. The shell watches a pipe from the agent: when the agent
// dies, however, the group is stopped in steps, well before another agent may claim the command.
import { type ChildProcess, spawn } from "node:child_process";
import { type Clock, reasonOf, sleep } from "@fairlead/kernel";
import type { Child, ChildOptions, StopSignal } from "./child.ts";
import { processErrors } from "./errors.ts";

export function startLeashedChild(options: ChildOptions & { readonly clock: Clock }): Child {
  const { program, args, folder, environment, stdin, memoryBytes, clock } = options;
  const memory = memoryBytes === undefined ? "" : String(Math.floor(memoryBytes / 1024));
  const child = spawn("/bin/sh", ["-c", leash, "sh", memory, program.path, ...args], {
    cwd: folder,
    env: environment,
    detached: true,
    // The last one is the leash: it ends when this process does.
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  // A program that doesn't read its input, or isn't there any more.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  const group = child.pid;
  return {
    ...awaitEnd(child, program.name),
    stdout: child.stdout,
    stderr: child.stderr,
    signal: (signal) => void (group !== undefined && signalGroup(group, signal)),
    async endRest() {
      if (group === undefined || !signalGroup(group, "SIGTERM")) return;
      await sleep(leftoverMs, { clock });
      signalGroup(group, "SIGKILL");
    },
    destroy() {
      for (const stream of child.stdio) stream?.destroy();
    },
  };
}

function awaitEnd(child: ChildProcess, program: string): Pick<Child, "exited" | "closed"> {
  const exited = new Promise<number>((resolve, reject) => {
    child.once("error", (error) => {
      reject(processErrors.PROCESS_NOT_STARTED({ program, reason: reasonOf(error), cause: error }));
    });
    child.once("exit", (code) => resolve(code ?? killedCode));
  });
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  return { exited, closed };
}

/** False when nobody is in it. */
function signalGroup(group: number, signal: StopSignal): boolean {
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
/** SIGKILL took the shell with it. */
const killedCode = 137;
/** For what is left of a group when its program has ended. */
const leftoverMs = 250;
