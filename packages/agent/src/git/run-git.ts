// Runs git, for one repository and within its time.
import type { Clock } from "@fairlead/kernel";
import type { ChildEnvironment, OnLine, ProcessResult, StopPace } from "../processes/index.ts";
import type { GitAddress } from "./address.ts";
import { gitErrors } from "./errors.ts";
import { explainGit } from "./explain.ts";

/** Runs git's programs. */
export interface GitPrograms {
  /** For its owner alone. */
  readonly folder: string;
  /** Of files that hold keys: git's user alone can read them. */
  readonly fileMode?: number | undefined;
  /** How ssh gets to other machines; undefined: by itself. */
  readonly connectCommand?: string | undefined;
  /** Lets git connect to a place of this machine. */
  reach?(address: string): void;
  run(program: {
    readonly name: string;
    readonly args: readonly string[];
    readonly folder?: string | undefined;
    readonly environment?: ChildEnvironment | undefined;
    readonly onStderr?: OnLine | undefined;
    readonly pace: StopPace;
    readonly signal?: AbortSignal | undefined;
  }): Promise<ProcessResult>;
}

export interface GitLimits {
  /** The most bytes fetched, and the most checked out. */
  readonly sizeBytes: number;
  readonly files: number;
  readonly timeMs: number;
}

/** Returns what it says on stdout. */
export type Git = (args: readonly string[], about?: { readonly signal?: AbortSignal }) => Promise<string>;

export function openGit(options: {
  readonly programs: GitPrograms;
  readonly folder: string;
  readonly log: { line(text: string, isCut?: boolean): void };
  readonly signal: AbortSignal;
  readonly address: GitAddress;
  readonly environment: ChildEnvironment;
  readonly limits: GitLimits;
  readonly clock: Clock;
}): Git {
  const { programs, folder, address, environment, log, signal, limits, clock } = options;
  const over = new AbortController();
  const endsAtMs = clock.steadyMs() + limits.timeMs;
  return async (args, { signal: also } = {}) => {
    const said: string[] = [];
    let pieces = 0;
    let isInside = false;
    const onStderr: OnLine = (line, isCut) => {
      log.line(isInside ? line : `git: ${line}`, isCut);
      if (pieces++ < 200) said.push(isInside ? `${said.pop()}${line}` : line);
      isInside = isCut;
    };
    using _timer = { [Symbol.dispose]: clock.after(Math.max(0, endsAtMs - clock.steadyMs()), () => over.abort()) };
    const ends = [over.signal, ...(also ? [also] : [])];
    const { exitCode, stdout } = await programs.run({
      name: "git",
      args,
      folder,
      environment,
      onStderr,
      pace,
      signal: AbortSignal.any(ends),
    });
    signal.throwIfAborted();
    also?.throwIfAborted();
    if (over.signal.aborted) {
      const reason = `it took longer than ${limits.timeMs / 1000} s`;
      throw gitErrors.GIT_UNREACHABLE({ repository: address.url, reason });
    }
    if (exitCode !== 0) throw explainGit({ repository: address.url, said, exitCode });
    return stdout.toString("utf8");
  };
}

const pace: StopPace = { interruptMs: 2_000, terminateMs: 2_000 };
