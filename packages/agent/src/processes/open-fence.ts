// Chooses the fence that this machine has. As root each run gets a user and namespaces of its own; without root, namespaces;
// in Kubernetes the runner is a container of its own, which keeps runs apart by Landlock, or lets in one at a time.
import { spawn } from "node:child_process";
import { mkdir, realpath, stat } from "node:fs/promises";
import { createConnection } from "node:net";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import { type Clock, Slots, sleep } from "@fairlead/kernel";
import { processErrors } from "./errors.ts";
import type { Fence, RunnerAccess, Separation } from "./fence.ts";
import { findRunner } from "./find-runner.ts";
import { findProgramFolders } from "./program-folders.ts";
import { runProcess } from "./run-process.ts";
import { UidPool, type UidRange } from "./uid-pool.ts";
import { removeWorkFolders } from "./work-folder.ts";

export interface FenceSettings {
  /** The file of `fairlead-runner`; undefined: the package's own, or the one on the PATH. */
  readonly program?: string | undefined;
  /** Where the runner's container listens; undefined: the agent starts runners itself. */
  readonly socket?: string | undefined;
  /** Users for runs, where the agent is root. */
  readonly uids: UidRange;
}

/** Throws FENCE_MISSING, FENCE_UNREACHABLE and FENCE_RUNNER_AWAY. */
export async function openFence(options: {
  readonly settings: FenceSettings;
  /** Where runs have their folders. */
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}): Promise<Fence> {
  const { settings, folder, environment } = options;
  const named = settings.program ?? (await findRunner({ path: environment["PATH"] }));
  // A runner follows no links in what an order names.
  const program = await realpath(named).catch(() => named);
  if (settings.socket !== undefined) return await openContained({ ...options, program, socket: settings.socket });
  const isRoot = process.getuid?.() === 0;
  const found = await probe({
    ...options,
    program,
    place: runnerAccess("none", undefined, () => startRunner(program)),
  });
  const separation: Separation | undefined = found.namespaces ? "namespaces" : found.uid && isRoot ? "uid" : undefined;
  if (separation === undefined) throw missing(found.reasons?.["namespaces"] ?? "this system has no fence for them");
  if (separation === "uid") await checkReach({ ...options, program, uid: settings.uids.first });
  const uids = new UidPool(settings.uids);
  return {
    separation,
    program,
    folder,
    landlockAbi: found.landlockAbi,
    isShared: false,
    async enter(signal) {
      const taken = isRoot ? await uids.take(signal) : undefined;
      const place = runnerAccess(separation, taken?.uid, () => startRunner(program));
      return { ...place, [Symbol.dispose]: () => taken?.[Symbol.dispose]() };
    },
  };
}

async function openContained(
  options: Parameters<typeof openFence>[0] & { readonly program: string; readonly socket: string },
): Promise<Fence> {
  const { program, socket } = options;
  const separation = "container";
  // Both containers' users are in the group of the socket's folder.
  process.umask(0o007);
  const folder = join(dirname(socket), "runs");
  await mkdir(folder, { recursive: true });
  // What an agent left that died in this pod.
  await removeWorkFolders(folder);
  const place = runnerAccess(separation, undefined, () => createConnection({ path: socket }));
  const { landlockAbi, uid } = await awaitRunner({ ...options, place });
  // Without Landlock a run could read what another run of the same user has in its folder.
  const turns = new Slots(landlockAbi > 0 ? Number.POSITIVE_INFINITY : 1);
  return {
    separation,
    program,
    folder,
    landlockAbi,
    // ssh takes no key of its own user that others can read.
    isShared: uid !== process.getuid?.(),
    async enter(signal) {
      return { ...place, [Symbol.dispose]: await turns.enter(signal) };
    },
  };
}

/** The pod's containers start at once, in no order. Throws FENCE_RUNNER_AWAY. */
async function awaitRunner(
  options: Parameters<typeof probe>[0] & { readonly socket: string },
): Promise<{ readonly landlockAbi: number; readonly uid: number }> {
  const { socket, clock, signal } = options;
  for (const untilMs = clock.steadyMs() + awaitedMs; ; ) {
    try {
      const [{ landlockAbi }, { uid }] = await Promise.all([probe(options), stat(socket)]);
      return { landlockAbi, uid };
    } catch (error) {
      if (clock.steadyMs() >= untilMs) {
        const reason = error instanceof Error ? error.message : "unknown reason";
        throw processErrors.FENCE_RUNNER_AWAY({ socket, reason, cause: error });
      }
    }
    await sleep(againMs, { clock, signal });
  }
}

interface Probed {
  readonly namespaces: boolean;
  readonly uid: boolean;
  readonly landlockAbi: number;
  readonly reasons?: Readonly<Record<string, string>>;
}

async function probe(options: {
  readonly program: string;
  readonly place: RunnerAccess;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}): Promise<Probed> {
  const { program: path, place, signal, clock } = options;
  const ended = AbortSignal.any([signal, AbortSignal.timeout(probeMs)]);
  const { exitCode, stdout } = await runProcess({
    program: { name: "fairlead-runner", path },
    args: ["probe"],
    folder: "/",
    environment: {},
    onStderr: () => undefined,
    signal: ended,
    forced: ended,
    clock,
    pace: { interruptMs: 0, terminateMs: 1_000 },
    fence: { place, write: [], read: [path], ports: [] },
  });
  if (exitCode !== 0) throw missing(`fairlead-runner ended with exit code ${exitCode}`);
  return JSON.parse(stdout.toString("utf8")) as Probed;
}

/** Throws FENCE_UNREACHABLE. */
async function checkReach(
  options: Parameters<typeof openFence>[0] & { readonly program: string; readonly uid: number },
) {
  const { program: path, folder, uid, environment, signal, clock } = options;
  const place = runnerAccess("none", undefined, () => startRunner(path));
  const args = ["check", "--uid", String(uid), path, folder, ...(await findProgramFolders(environment)).read];
  const { exitCode, stdout } = await runProcess({
    program: { name: "fairlead-runner", path },
    args,
    folder: "/",
    environment: {},
    onStderr: () => undefined,
    signal,
    forced: signal,
    clock,
    pace: { interruptMs: 0, terminateMs: 1_000 },
    fence: { place, write: [], read: [], ports: [] },
  });
  if (exitCode === 0) return;
  const { unreachable = "a folder", because = unreachable } = JSON.parse(stdout.toString("utf8") || "{}") as {
    readonly unreachable?: string;
    readonly because?: string;
  };
  throw processErrors.FENCE_UNREACHABLE({ uid, path: unreachable, because });
}

function runnerAccess<Kind extends RunnerAccess["separation"]>(
  separation: Kind,
  uid: number | undefined,
  connect: () => Duplex,
): RunnerAccess & { readonly separation: Kind } {
  return { separation, uid, connect };
}

/** The runner's frames go over the file descriptor 3. */
function startRunner(program: string): Duplex {
  const child = spawn(program, ["exec", "--fd", "3"], {
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const connection = child.stdio[3] as Duplex;
  child.once("error", (error) => connection.destroy(error));
  return connection;
}

function missing(reason: string): Error {
  return processErrors.FENCE_MISSING({ reason });
}

const probeMs = 20_000;
const awaitedMs = 10_000;
const againMs = 250;
