// A program that runs, however it was started: below a shell on this machine's leash, or in the fence of a runner.
import type { Readable } from "node:stream";
import type { ChildEnvironment } from "./environment.ts";
import type { FoundProgram } from "./find-program.ts";

export interface Child {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code as a shell says it. Rejects with PROCESS_NOT_STARTED. */
  readonly exited: Promise<number>;
  /** Resolves when no more output comes. */
  readonly closed: Promise<void>;
  /** To all processes of the program. */
  signal(signal: StopSignal): void;
  /** Ends what the program left behind. */
  endRest(): Promise<void>;
  /** Lets go of the streams. */
  destroy(): void;
}

export type StopSignal = "SIGINT" | "SIGTERM" | "SIGKILL";

export interface ChildOptions {
  readonly program: FoundProgram;
  readonly args: readonly string[];
  readonly folder: string;
  readonly environment: ChildEnvironment;
  readonly stdin?: string | Uint8Array | undefined;
  /** The most memory of each of its processes; undefined: as much as there is. */
  readonly memoryBytes?: number | undefined;
}
