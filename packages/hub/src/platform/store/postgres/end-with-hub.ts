// The server has a session of its own, so it would run on when the hub ends without stopping it: by a second signal, by a
// start that failed, by an error that nobody caught. Then the last thing the hub does is to ask the server to stop.

/** Lasts until it is disposed. The pid must be that of a server which runs. */
export function endWithHub(pid: number): Disposable {
  if (pids.size === 0) process.on("exit", endAll);
  pids.add(pid);
  return {
    [Symbol.dispose]() {
      pids.delete(pid);
      if (pids.size === 0) process.off("exit", endAll);
    },
  };
}

function endAll(): void {
  for (const pid of pids) {
    try {
      process.kill(pid, "SIGINT");
    } catch {
      // It is gone.
    }
  }
}

const pids = new Set<number>();
