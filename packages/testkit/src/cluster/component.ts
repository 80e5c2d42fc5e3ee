import { processFailed } from "../errors.ts";
import { type RunningProcess, type StartProcessOptions, startProcess } from "../processes/index.ts";

/** A process of a cluster, which tests may stop, start again with the same arguments, or freeze. */
export interface Component {
  readonly name: string;
  /** Undefined while it is stopped. */
  readonly pid: number | undefined;
  readonly logFile: string;
  /** Resolves when it is ready again. Does nothing while it runs. */
  start(): Promise<void>;
  /** TERM, then KILL after 5 s; with `graceMs: 0` KILL at once, like a crash. */
  stop(options?: { graceMs?: number }): Promise<void>;
  /** Stops it in its tracks (SIGSTOP): connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
}

export async function startComponent(options: StartProcessOptions): Promise<Component> {
  const { signal: _startSignal, ...again } = options;
  let running: RunningProcess | undefined = await startProcess(options);
  const required = () => {
    if (running === undefined || running.hasExited) throw processFailed(options.name, "is not running", "");
    return running;
  };
  return {
    name: options.name,
    get pid() {
      return running === undefined || running.hasExited ? undefined : running.pid;
    },
    logFile: options.logFile,
    async start() {
      if (running === undefined || running.hasExited) running = await startProcess(again);
    },
    async stop(stopOptions) {
      await running?.stop(stopOptions);
      running = undefined;
    },
    pause: () => required().signal("STOP"),
    resume: () => required().signal("CONT"),
  };
}
