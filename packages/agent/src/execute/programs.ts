// A kind runs programs with a private folder, an environment without the agent's credentials, and a way to the API
// server that holds only while the claim does. A fence keeps them from everything else.
import { chmod, mkdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, isAbsolute, resolve } from "node:path";
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import type { PolicyKeeper } from "../policy/index.ts";
import {
  type ChildEnvironment,
  childEnvironment,
  type Fence,
  type FoundProgram,
  findProgram,
  findProgramFolders,
  type OnLine,
  openWorkFolder,
  type ProcessResult,
  runProcess,
  type StopPace,
  sharedFileMode,
  sharedFolderMode,
} from "../processes/index.ts";
import { type ApiDoor, openApiDoor } from "./api-door/index.ts";
import { type Egress, egressErrors } from "./egress/index.ts";
import type { HeldCommand } from "./held-command.ts";
import type { Lease } from "./lease.ts";
import type { ProgramsWish } from "./programs-wish.ts";
import { LocalPorts } from "./reach.ts";

export interface Programs extends AsyncDisposable {
  /** For its owner alone; it goes with the claim. */
  readonly folder: string;
  /** Of files that hold keys. */
  readonly fileMode: number;
  readonly door: ApiDoor;
  /** How ssh gets out (its ProxyCommand); undefined: by itself. */
  readonly connectCommand: string | undefined;
  /** EGRESS_HOST_REFUSED for each connection that the policy has kept programs of this claim from, the first ones. */
  readonly refused: readonly FairleadError[];
  /**
   * Lets programs of this claim connect to a place of this machine, by an address in which the command names it. Throws
   * POLICY_DENIED where the policy doesn't list it.
   */
  reach(address: string): void;
  /** A folder beside the private one, that programs of this claim write to and that outlives it. */
  keep(name: string): Promise<string>;
  /** Asks for the version of a program's file once, until there is another file under that name. */
  versionOf(name: string, ask: () => Promise<string>): Promise<string>;
  /** Asks our own program, in the fence; undefined: there is none. */
  askRunner(args: readonly string[]): Promise<string | undefined>;
  /** Resolves with whatever came of it when nothing of it runs any more. Throws when it can't be started. */
  run(program: ProgramRun): Promise<ProcessResult>;
}

export interface ProgramRun {
  /** A file, or a name that is found on the agent's PATH. */
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
  /** Folders that it reads, and those that it writes to, beside those of the claim. */
  readonly read?: readonly string[] | undefined;
  readonly write?: readonly string[] | undefined;
}

export async function openPrograms(options: {
  /** The command's id. */
  readonly id: string;
  readonly kube: KubeClient;
  readonly wish: ProgramsWish;
  /** The agent's, which is closed to programs. */
  readonly ownNamespace: string | undefined;
  /** The folder of all commands; that of the fence where there is one. */
  readonly folder: string;
  /** Undefined: programs have all that the agent's user has on this machine. */
  readonly fence: Fence | undefined;
  /** Whether a refusal of the API server may be over in a moment; none is unless told. */
  readonly mayPass?: (() => boolean) | undefined;
  readonly judgeHost: PolicyKeeper["judgeHost"];
  /** The way out of a fence; undefined without one. */
  readonly egress: Egress | undefined;
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
  const { id, kube, wish, fence, environment, memoryBytes, conceal, log, untilRoom, held, clock } = options;
  await using opened = new AsyncDisposableStack();
  const parent = fence?.folder ?? options.folder;
  const place = fence && opened.use(await fence.enter(held.signal));
  const folder = opened.use(await openWorkFolder(parent, { isShared: fence?.isShared }));
  const { phase, secrets, hosts } = wish;
  const { ownNamespace } = options;
  const refused: FairleadError[] = [];
  const onRefused = (host: string, error: FairleadError): void => {
    log.line(`${host} can't be reached from here: ${error.code}: ${error.message}`);
    if (egressErrors.is(error, "EGRESS_HOST_REFUSED") && refused.length < mostRefused) refused.push(error);
  };
  const door = opened.use(
    await openApiDoor({
      kube,
      mayPass: options.mayPass,
      conceal,
      userAgent: writerName(id),
      phase,
      secrets,
      ownNamespace,
    }),
  );
  const pass = place && options.egress && opened.use(options.egress.admit({ ...hosts, onRefused }));
  if (pass) for (const text of [pass.key, Buffer.from(`run:${pass.key}`).toString("base64")]) conceal(text);
  const local = new LocalPorts(options.judgeHost);
  const found = place && (await findProgramFolders(environment));
  const kept: string[] = [];
  const open = opened.move();
  return {
    folder: folder.path,
    fileMode: fence?.isShared ? sharedFileMode : 0o600,
    door,
    refused,
    connectCommand: pass && fence && `'${fence.program}' connect --proxy ${pass.url} %h %p`,
    reach(address) {
      if (place !== undefined && URL.canParse(address)) local.reach(hostOf(new URL(address)));
    },
    async keep(name) {
      const path = resolve(parent, name);
      await mkdir(path, { recursive: true, mode: 0o700 });
      if (fence?.isShared) await chmod(path, sharedFolderMode);
      kept.push(path);
      return path;
    },
    versionOf: async (name, ask) => await knownVersion(await findProgram(name, environment["PATH"]), ask),
    async askRunner(args) {
      if (fence === undefined) return undefined;
      const { stdout } = await run({
        name: fence.program,
        args,
        isQuestion: true,
        pace: { interruptMs: 0, terminateMs: 1_000 },
        onStderr: () => undefined,
      });
      return stdout.toString("utf8");
    },
    run,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };

  async function run({
    name,
    isQuestion = false,
    isRepair = false,
    signal,
    read = [],
    write = [],
    ...run
  }: ProgramRun): Promise<ProcessResult> {
    const stopping = isRepair ? held.forced : held.signal;
    held.lease.check();
    if (!isRepair) held.signal.throwIfAborted();
    const program = isAbsolute(name)
      ? { name: basename(name), path: name }
      : await findProgram(name, environment["PATH"]);
    // A link's way may lead through folders that aren't there in the fence.
    const file = place ? await realpath(program.path) : program.path;
    const result = await runProcess({
      ...run,
      onStderr: run.onStderr ?? log.line,
      untilRoom,
      program: { ...program, path: file },
      folder: run.folder ?? folder.path,
      environment: childEnvironment({
        from: environment,
        home: folder.path,
        temporary: folder.temporary,
        also: { ...found?.environment, ...run.environment },
        proxy: pass?.url,
      }),
      signal: signal ? AbortSignal.any([stopping, signal]) : stopping,
      forced: held.forced,
      memoryBytes,
      fence: place && {
        place,
        write: [folder.path, ...kept, ...write],
        read: [dirname(fence.program), ...(found?.read ?? []), dirname(file), ...read],
        ports: [door.port, ...(pass ? [pass.port] : []), ...local.all],
      },
      clock,
    });
    if (isQuestion && result.exitCode !== 0) stopping.throwIfAborted();
    return result;
  }
}

function hostOf({ protocol, hostname: host, port }: URL) {
  return { host, port: port === "" ? (defaultPorts[protocol] ?? 443) : Number(port) };
}

async function knownVersion({ path }: FoundProgram, ask: () => Promise<string>): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path);
  const file = [path, ino, size, mtimeMs].join(" ");
  const version = versions.get(file) ?? (await ask());
  versions.set(file, version);
  return version;
}

const mostRefused = 10;
const defaultPorts: Readonly<Record<string, number>> = { "http:": 80, "ssh:": 22 };
/** By files of this machine. They are the same for all commands. */
const versions = new Map<string, string>();

/**
 * Names the command as the writer in the fields that the API server keeps about each object (`metadata.managedFields`).
 */
export function writerName(commandId: string): string {
  return `${writerPrefix}${commandId}`;
}

export const writerPrefix = "fairlead-command:";
