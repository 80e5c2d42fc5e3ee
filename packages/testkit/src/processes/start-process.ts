// A child that cannot outlive this process, whatever ends it: tools/leash holds it and watches our end of a pipe.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { waitUntil } from "@fairlead/kernel/testing";
import { processFailed, processNotReady } from "../errors.ts";
import { ensureTools } from "../tools/index.ts";
import { readTail } from "./read-tail.ts";

export interface StartProcessOptions {
  /** The name in error messages. */
  readonly name: string;
  readonly command: string;
  readonly args?: readonly string[];
  /** The whole environment but PATH, which is passed on unless named here. Nothing else of ours reaches the child. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Takes stdout and stderr, appended. */
  readonly logFile: string;
  /** Lets what the process leaves behind run on until it is stopped or disposed here. */
  readonly lingers?: boolean;
  /** Asked again and again until it holds; a throw counts as not yet. */
  readonly readyWhen?: (process: RunningProcess) => boolean | Promise<boolean>;
  readonly readyTimeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface ExitInfo {
  /** 128 + N for a process ended by signal N. */
  readonly code: number;
  readonly signal?: string;
}

export interface RunningProcess extends AsyncDisposable {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** Settles when the process and all that it started are gone. */
  readonly exited: Promise<ExitInfo>;
  readonly hasExited: boolean;
  /** True when it has exited and nobody here had sent it a signal to end it. */
  readonly endedByItself: boolean;
  /** Goes to the process itself; STOP, CONT and KILL to its whole group. */
  signal(name: "TERM" | "INT" | "HUP" | "STOP" | "CONT" | "KILL"): void;
  /** TERM, then KILL after the grace; with 0 KILL at once. Works on a paused process too. */
  stop(options?: { graceMs?: number }): Promise<ExitInfo>;
  /** The last 4 KiB. */
  logTail(): Promise<string>;
}

export async function startProcess(options: StartProcessOptions): Promise<RunningProcess> {
  const { name, readyWhen, readyTimeoutMs = 30_000, signal } = options;
  const running = await spawnOnLeash(options);
  if (readyWhen === undefined) return running;
  try {
    const check = async () => running.hasExited || (await holds(() => readyWhen(running)));
    const ready = await waitUntil(check, { timeoutMs: readyTimeoutMs, intervalMs: askingIntervalMs, signal });
    if (running.hasExited) throw processFailed(name, describe(await running.exited), await running.logTail());
    if (!ready) throw processNotReady(name, readyTimeoutMs, await running.logTail());
    return running;
  } catch (error) {
    await running.stop({ graceMs: 0 });
    throw error;
  }
}

/** A run starts a thousand programs, and each question takes a millisecond of processors that are all busy. */
const askingIntervalMs = 100;

async function spawnOnLeash(options: StartProcessOptions): Promise<RunningProcess> {
  const { name, command, args = [], env = {}, cwd, logFile, lingers = false } = options;
  const { leash } = await ensureTools(["leash"]);
  const flags = ["--log", logFile, ...(cwd === undefined ? [] : ["--dir", cwd]), ...(lingers ? ["--linger"] : [])];
  const child = spawn(leash, [...flags, "--", command, ...args], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdio: ["pipe", "pipe", "pipe"],
    // A session of its own: a signal to our group (^C, a runner's kill) must not take the leash before its charge.
    detached: true,
  });
  // Writing to a leash that has just ended is no error worth a crash.
  child.stdin.on("error", () => {});
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = (complaint + chunk.toString("utf8")).slice(-2000);
  });
  const started = deferred<number>();
  let end: ExitInfo | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    const report = JSON.parse(line) as { event: string; pid?: number; code: number; signal?: string };
    if (report.event === "started") started.resolve(report.pid ?? 0);
    else end = { code: report.code, ...(report.signal !== undefined && { signal: report.signal }) };
    if (lingers && end !== undefined) finish();
  });
  const exited = deferred<ExitInfo>();
  let hasExited = false;
  let isAsked = false;
  let endedByItself = false;
  const finish = () => {
    if (!hasExited) endedByItself = !isAsked;
    hasExited = true;
    exited.resolve(end ?? { code: 137, signal: "lost its leash" });
    started.reject(processFailed(name, "could not be started", complaint));
  };
  const closed = deferred<void>();
  for (const event of ["error", "close"]) {
    child.once(event, () => {
      finish();
      closed.resolve();
    });
  }
  const pid = await started.promise;
  const send = (text: string) => {
    isAsked ||= !["CONT", "STOP"].includes(text);
    if (!hasExited) child.stdin.write(`${text}\n`);
  };
  const running: RunningProcess = {
    name,
    pid,
    logFile,
    exited: exited.promise,
    get hasExited() {
      return hasExited;
    },
    get endedByItself() {
      return endedByItself;
    },
    signal: send,
    async stop({ graceMs = 5000 } = {}) {
      if (graceMs > 0) {
        send("CONT");
        send("TERM");
        const timer = new AbortController();
        await Promise.race([exited.promise, delay(graceMs, undefined, { signal: timer.signal }).catch(() => {})]);
        timer.abort();
      }
      send("KILL");
      const exit = await exited.promise;
      if (lingers) {
        child.stdin.end();
        await closed.promise;
      }
      return exit;
    },
    logTail: () => readTail(logFile, 4096),
    [Symbol.asyncDispose]: async () => {
      await running.stop();
    },
  };
  return running;
}

async function holds(check: () => boolean | Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch {
    return false;
  }
}

function describe(exit: ExitInfo): string {
  return exit.signal === undefined ? `ended with code ${exit.code}` : `was ended by a signal (${exit.signal})`;
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((settle, fail) => {
    resolve = settle;
    reject = fail;
  });
  return { promise, resolve, reject };
}
