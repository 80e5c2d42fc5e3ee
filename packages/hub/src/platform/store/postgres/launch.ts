// Starts the server's process and waits until it answers.
import { spawn } from "node:child_process";
import { type FileHandle, open, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, type ClientConfig } from "pg";
import { storeErrors } from "../errors.ts";
import { markProcess, type ProcessMark } from "../folder/process-mark.ts";
import { type Account, runAs } from "./account.ts";
import { type Binaries, toEnvironment } from "./binaries.ts";
import { endServer } from "./end-server.ts";
import { endWithHub } from "./end-with-hub.ts";
import type { PostgresPaths } from "./paths.ts";
import { readPid } from "./pid-file.ts";
import { type ServerSettings, toServerArguments } from "./settings.ts";

export interface Launch extends ServerSettings {
  readonly places: PostgresPaths;
  readonly binaries: Binaries;
  readonly account: Account;
}

export interface Launched {
  readonly process: ProcessMark;
  /** Disposed, the server runs on when this process ends. */
  readonly guard: Disposable;
}

/** Throws STORE_DOWN with the server's own last word, or the error that refused the password; then nothing runs. */
export async function launch(
  starting: Launch,
  options: {
    readonly connection: ClientConfig;
    /** Called when the server's process has ended. */
    readonly onExit?: (() => void) | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<Launched> {
  const { places } = starting;
  const { connection, onExit, signal } = options;
  await using log = await open(places.logFile, "w", 0o600);
  const stalePid = await readPid(places.dataFolder);
  const child = spawnServer(starting, log, stalePid);
  let end: string | undefined;
  child.once("error", (error) => {
    end = error.message;
  });
  child.once("exit", () => {
    end ??= "";
    onExit?.();
  });
  child.unref();
  using undo = new DisposableStack();
  if (child.pid !== undefined) undo.use(endWithHub(child.pid));
  try {
    await untilItAnswers(connection, { isOver: () => end !== undefined, signal });
    const process = await markProcess(child.pid ?? 0);
    if (process === undefined) throw new Error("it ended as soon as it answered");
    return { process, guard: undo.move() };
  } catch (error) {
    const mark = child.pid === undefined ? undefined : await markProcess(child.pid);
    if (end === undefined && mark !== undefined) await endServer(mark);
    if (isPasswordRefused(error)) throw error;
    throw storeErrors.STORE_DOWN({ reason: end || (await readReason(places)), cause: error });
  }
}

/** The newest line of the server's log that says why it ended. */
export async function readReason(places: PostgresPaths): Promise<string> {
  const text = await readFile(places.logFile, "utf8").catch(() => "");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const at = lines.findLastIndex((line) => /(?:FATAL|PANIC):/.test(line) && !isForClients(line));
  const [before = "", fatal = lines.at(-1)] = at < 0 ? [] : [lines[at - 1], lines[at]];
  if (fatal === undefined) return "it says nothing";
  // The line before says which.
  const detail = fatal.endsWith("contains errors") ? `${withoutPrefix(before)}; ` : "";
  return `${detail}${withoutPrefix(fatal)}`.slice(0, 600);
}

/** The server tells this to clients that come too early, as the hub does while the server starts. */
function isForClients(line: string): boolean {
  return /FATAL: +the database system is (?:starting up|in recovery mode|not yet accepting connections)/.test(line);
}

function withoutPrefix(line: string): string {
  return line.replace(/^.*?(?=(?:LOG|FATAL|PANIC):)/, "");
}

export async function askVersion(connection: ClientConfig, timeoutMs: number): Promise<string> {
  const client = new Client({ ...connection, connectionTimeoutMillis: timeoutMs, query_timeout: timeoutMs });
  client.on("error", () => undefined); // the query says it, too
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>("show server_version");
    return rows[0]?.server_version ?? "";
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** The file with the password isn't this server's. */
export function isPasswordRefused(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === "28P01";
}

function spawnServer(
  { places, binaries, account, ...settings }: Launch,
  log: FileHandle,
  stalePid: number | undefined,
): ReturnType<typeof spawn> {
  const args = toServerArguments(places, settings);
  const { command, args: all, options } = runAs(account, join(binaries.binDir, "postgres"), args);
  return spawn(command, all, {
    ...options,
    cwd: places.root,
    env: {
      LC_ALL: "C",
      ...toEnvironment(binaries.libraryFolders),
      // The server would stop at a pid file whose pid is in use, by whatever program. It doesn't at this one's, and still
      // looks whether processes of the server before it hold its shared memory: the file itself mustn't be removed.
      ...(stalePid === undefined ? {} : { PG_GRANDPARENT_PID: String(stalePid) }),
    },
    // A session of its own: Ctrl-C in a terminal is for the hub, which ends the server after its own work.
    detached: true,
    stdio: ["ignore", log.fd, log.fd],
  });
}

async function untilItAnswers(
  connection: ClientConfig,
  { isOver, signal }: { readonly isOver: () => boolean; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const untilMs = performance.now() + startMs;
  for (;;) {
    try {
      await askVersion(connection, answerMs);
      return;
    } catch (error) {
      if (isOver() || isPasswordRefused(error) || performance.now() > untilMs) throw error;
    }
    await sleep(pollMs, undefined, { signal });
  }
}

const pollMs = 20;
const answerMs = 10_000;
/** Recovery after a kill reads what was written since the last checkpoint: 256 MB at most. */
export const startMs = 120_000;
