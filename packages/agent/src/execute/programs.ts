// A kind runs programs with a private folder, an environment without the agent's credentials, and a way to the API
// server that holds only while the claim does.
import { stat } from "node:fs/promises";
import type { Clock } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import {
  type ChildEnvironment,
  childEnvironment,
  type FoundProgram,
  findProgram,
  type OnLine,
  openWorkFolder,
  type ProcessResult,
  runProcess,
  type StopPace,
} from "../processes/index.ts";
import { type ApiDoor, openApiDoor } from "./api-door/index.ts";
import type { HeldCommand } from "./held-command.ts";
import type { Lease } from "./lease.ts";

export interface Programs extends AsyncDisposable {
  /** For its owner alone; it goes with the claim. */
  readonly folder: string;
  readonly door: ApiDoor;
  /** Asks for the version of a program's file once, until there is another file under that name. */
  versionOf(name: string, ask: () => Promise<string>): Promise<string>;
  /** Resolves with whatever came of it when nothing of it runs any more. Throws when it can't be started. */
  run(program: ProgramRun): Promise<ProcessResult>;
}

export interface ProgramRun {
  /** Found on the agent's PATH. */
  readonly name: string;
  /** No secrets: anybody on the machine can read them. */
  readonly args: readonly string[];
  /** The private one unless told. */
  readonly folder?: string | undefined;
  readonly environment?: ChildEnvironment | undefined;
  readonly stdin?: string | Uint8Array | undefined;
  /** Gets stdout line by line; without this function stdout is gathered. */
  readonly onStdout?: OnLine | undefined;
  /** The command's log unless told. */
  readonly onStderr?: OnLine | undefined;
  readonly pace: StopPace;
  /** Stops it, too. */
  readonly signal?: AbortSignal | undefined;
  /** It changes nothing. Its answer counts for nothing when it was stopped: the reason of the stop is thrown. */
  readonly isQuestion?: boolean | undefined;
  /** It puts right what is half done: a graceful cancel doesn't stop it, a forced one and a lost lease do. */
  readonly isRepair?: boolean | undefined;
}

export async function openPrograms(options: {
  /** The command's id. */
  readonly id: string;
  readonly kube: KubeClient;
  /** The folder of all commands. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The most memory of each process of a program. */
  readonly memoryBytes?: number | undefined;
  readonly conceal: (value: string) => void;
  readonly log: { line(text: string, isCut?: boolean): void };
  /** Programs say no more before it resolves. */
  readonly untilRoom: () => Promise<void> | undefined;
  readonly held: Pick<HeldCommand, "signal" | "forced"> & { readonly lease: Pick<Lease, "check"> };
  readonly clock: Clock;
}): Promise<Programs> {
  const { id, kube, environment, memoryBytes, conceal, log, untilRoom, held, clock } = options;
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await openWorkFolder(options.folder));
  const door = opened.use(await openApiDoor({ kube, conceal, userAgent: writerName(id) }));
  const open = opened.move();
  return {
    folder: folder.path,
    door,
    versionOf: async (name, ask) => await knownVersion(await findProgram(name, environment["PATH"]), ask),
    async run({ name, isQuestion = false, isRepair = false, signal, ...run }) {
      const stopping = isRepair ? held.forced : held.signal;
      held.lease.check();
      if (!isRepair) held.signal.throwIfAborted();
      const result = await runProcess({
        ...run,
        onStderr: run.onStderr ?? log.line,
        untilRoom,
        program: await findProgram(name, environment["PATH"]),
        folder: run.folder ?? folder.path,
        environment: childEnvironment({
          ...{ from: environment, home: folder.path, temporary: folder.temporary, also: run.environment },
        }),
        signal: signal ? AbortSignal.any([stopping, signal]) : stopping,
        forced: held.forced,
        memoryBytes,
        clock,
      });
      if (isQuestion && result.exitCode !== 0) stopping.throwIfAborted();
      return result;
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function knownVersion({ path }: FoundProgram, ask: () => Promise<string>): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path);
  const file = [path, ino, size, mtimeMs].join(" ");
  const version = versions.get(file) ?? (await ask());
  versions.set(file, version);
  return version;
}

/** By files of this machine. They are the same for all commands. */
const versions = new Map<string, string>();

/**
 * Names the command as the writer in the fields that the API server keeps about each object (`metadata.managedFields`).
 */
export function writerName(commandId: string): string {
  return `${writerPrefix}${commandId}`;
}

export const writerPrefix = "fairlead-command:";
