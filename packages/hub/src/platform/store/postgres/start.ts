// Gets a server to run on a data folder: takes over one that runs there already, or starts one.
import { chmod, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClientConfig } from "pg";
import { isProcessAlive, type ProcessMark } from "../folder/process-mark.ts";
import { giveTo } from "./account.ts";
import { endOrphans, endServer } from "./end-server.ts";
import { endWithHub } from "./end-with-hub.ts";
import { setPassword } from "./initialize.ts";
import { askVersion, isPasswordRefused, type Launch, type Launched, launch, startMs } from "./launch.ts";
import { readPassword, toConnection } from "./password.ts";
import type { PostgresPaths } from "./paths.ts";
import { findServer, pidFile, readPid } from "./pid-file.ts";
import { accessRules } from "./settings.ts";
import { makeSocketFolder } from "./socket-folder.ts";

export interface Started extends Launched {
  readonly connection: ClientConfig;
}

export interface StartOptions {
  /** Called when a server that this started has ended. */
  readonly onExit: () => void;
  /** Ends a start that takes long, and the server with it. */
  readonly signal: AbortSignal;
}

/** Throws STORE_DOWN with the server's own last word. */
export async function startOrAdopt(starting: Launch, options: StartOptions): Promise<Started> {
  const { dataFolder } = starting.places;
  const running = await findServer(dataFolder);
  if (running !== undefined) {
    const adopted = await adopt(running, starting, options);
    if (adopted !== undefined) return adopted;
    await endServer(running);
  }
  await endOrphans(dataFolder);
  return await start(starting, options);
}

/** Undefined when the server is of another version, doesn't let us in or doesn't answer: then it is replaced. */
async function adopt(
  process: ProcessMark,
  { places, binaries }: Launch,
  { signal }: StartOptions,
): Promise<Started | undefined> {
  const password = await readPassword(places);
  if (password === undefined) return undefined;
  const connection = toConnection(places, password);
  const untilMs = performance.now() + startMs;
  while (performance.now() < untilMs && (await isProcessAlive(process))) {
    try {
      const version = await askVersion(connection, adoptMs);
      const isSame = version.split(" ")[0] === binaries.version;
      return isSame ? { process, connection, guard: endWithHub(process.pid) } : undefined;
    } catch (error) {
      if (!isStartingOrEnding(error)) return undefined;
    }
    await sleep(pollMs, undefined, { signal });
  }
  return undefined;
}

/** SQLSTATE cannot_connect_now. */
function isStartingOrEnding(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "57P03";
}

async function start(starting: Launch, options: StartOptions): Promise<Started> {
  const { places } = starting;
  await prepare(starting);
  if ((await readPassword(places)) === undefined) await setPassword(starting);
  try {
    return await startWithPassword(starting, options);
  } catch (error) {
    if (!isPasswordRefused(error)) throw error;
    // The file came from elsewhere, as with a folder that was put together from two backups.
    await setPassword(starting);
    return await startWithPassword(starting, options);
  }
}

async function startWithPassword(starting: Launch, options: StartOptions): Promise<Started> {
  const { places } = starting;
  await chmod(places.passwordFile, 0o600);
  const connection = toConnection(places, (await readPassword(places)) ?? "");
  const launched = await launch(starting, { ...options, connection });
  return { ...launched, connection };
}

/** Modes and owners again at each start: a volume's fsGroup makes files writable for a group. */
async function prepare({ places, account }: Launch): Promise<void> {
  await chmod(places.root, account.kind === "setuid" ? 0o711 : 0o700);
  await giveTo(account, places.dataFolder);
  await chmod(places.dataFolder, 0o700);
  await makeSocketFolder({ places, account });
  await giveTo(account, places.socketFolder);
  await writeFile(places.accessFile, accessRules, { mode: 0o644 });
  await chmod(places.accessFile, 0o644);
  if (process.platform === "linux") await removeLeftovers(places);
}

/** No server runs here. A pid file that a power cut left empty, or a socket's lock with any pid, would stop the next one. */
async function removeLeftovers(places: PostgresPaths): Promise<void> {
  if ((await readPid(places.dataFolder)) === undefined) await rm(pidFile(places.dataFolder), { force: true });
  for (const name of await readdir(places.socketFolder)) await rm(join(places.socketFolder, name), { force: true });
}

const pollMs = 20;
const adoptMs = 5_000;
