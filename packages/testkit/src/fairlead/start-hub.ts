// A hub as a process of its own, run from its sources, signed in to by its own CLI.
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { until } from "@fairlead/kernel/testing";
import { processFailed } from "../errors.ts";
import { copyDatabase } from "../made/index.ts";
import type { RunningProcess } from "../processes/index.ts";
import { endDatabase } from "./end-database.ts";
import { findLogLines } from "./log-lines.ts";
import { type Restartable, startProgram } from "./node-program.ts";
import { type SignedInCli, type SignIn, signInCli } from "./sign-in.ts";
import { openStateDir } from "./state-dir.ts";

export interface StartHubOptions {
  /** The folder for data, log and CLI configuration; a new one, removed at the end, unless named. */
  readonly stateDir?: string;
  /** More flags for `fairlead-hub`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the hub in surroundings of its own: the hub's command follows as its arguments. */
  readonly launcher?: readonly string[];
  readonly readyTimeoutMs?: number;
  /** Lets its database run on when it ends by itself, for a hub that follows it. */
  readonly lingers?: boolean;
  /** As users run it, from what the last build made; Node's reading of TypeScript takes memory of its own. */
  readonly isBuilt?: boolean;
  /** A folder with programs of another version. */
  readonly programs?: string;
  /** The sign-in of a hub on the same database, which showed its admin token already. */
  readonly signIn?: SignIn;
  readonly signal?: AbortSignal;
}

export interface TestHub extends Restartable, SignedInCli, AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly agentUrl: string;
  readonly agentPort: number;
  readonly dataDir: string;
  readonly logFile: string;
  readonly adminToken: string;
  readonly caPem: string;
  readonly caFingerprint: string;
}

export async function startHub(options: StartHubOptions = {}): Promise<TestHub> {
  const {
    args = [],
    env = {},
    launcher = [],
    readyTimeoutMs = 120_000,
    lingers = false,
    isBuilt = false,
    programs,
    signal,
  } = options;
  await using undo = new AsyncDisposableStack();
  const stateDir = await openStateDir({ stateDir: options.stateDir, prefix: "fairlead-hub-", undo });
  const dataDir = join(stateDir, "data");
  const logFile = join(stateDir, "hub.log");
  const addresses = { listen: "127.0.0.1:0", agentListen: "127.0.0.1:0" };
  if (hasOrdinaryDatabase({ args, env, launcher })) await copyDatabase(dataDir);
  let running = await start();
  undo.defer(async () => {
    const { endedByItself } = running;
    const exit = await running.stop({ graceMs: 10_000 });
    const log = endedByItself ? await running.logTail() : "";
    await endDatabase(dataDir);
    if (endedByItself) throw processFailed("hub", `ended by itself with code ${exit.code}`, log);
  });

  const ready = (await findLogLines(logFile, readyMessage)).at(-1);
  const url = String(ready?.["listen"]);
  const agentUrl = String(ready?.["agentListen"]);
  // The second start gets the addresses of the first, as a hub of fixed configuration would.
  addresses.listen = new URL(url).host;
  addresses.agentListen = new URL(agentUrl).host;
  const { adminToken, caFingerprint } = options.signIn ?? readSignIn(await readFile(logFile, "utf8"));
  const caPem = await fetchCa(url, caFingerprint);
  const { cli, cliConfig } = await signInCli({ url, folder: stateDir, caPem, adminToken });

  const release = undo.move();
  return {
    url,
    port: Number(new URL(url).port),
    agentUrl,
    agentPort: Number(new URL(agentUrl).port),
    dataDir,
    logFile,
    adminToken,
    caPem,
    caFingerprint,
    cliConfig,
    cli,
    get process() {
      return running;
    },
    stop: (how = "TERM") => running.stop({ graceMs: how === "KILL" ? 0 : 15_000 }),
    async start() {
      running = await start();
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };

  async function start(): Promise<RunningProcess> {
    const startsBefore = (await findLogLines(logFile, readyMessage)).length;
    return startProgram("hub", {
      args: ["--data-dir", dataDir, "--listen", addresses.listen, "--agent-listen", addresses.agentListen, ...args],
      // A leash kills all at once, also what would remove the folder of a hub that keeps nothing.
      env: { HOME: stateDir, ...(args.includes("--in-memory") ? { TMPDIR: stateDir } : {}), ...env },
      launcher,
      logFile,
      readyWhen: async () => (await findLogLines(logFile, readyMessage)).length > startsBefore,
      readyTimeoutMs,
      lingers,
      isBuilt,
      programs,
      signal,
    });
  }
}

/** Not from the hub's folder: it may be mounted where only the hub sees it, and the authority be kept elsewhere. */
async function fetchCa(url: string, fingerprint: string): Promise<string> {
  let caPem = "";
  const isAnswered = async (): Promise<boolean> => {
    caPem = await requestCa(url).catch(() => "");
    return caPem !== "";
  };
  // A balancer in front takes a moment to notice that the hub is there.
  await until(isAnswered, `the hub answers at ${url}`, { timeoutMs: 30_000, intervalMs: 50 });
  const actual = new X509Certificate(caPem).fingerprint256.replaceAll(":", "").toLowerCase();
  if (actual !== fingerprint) throw new Error("the hub's certificate authority isn't the one that it told of");
  return caPem;
}

async function requestCa(url: string): Promise<string> {
  const request = get(`${url}/ca.pem`, { rejectUnauthorized: false, agent: false });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  return await text(response);
}

/** In its data folder, and made by what is run by default. */
function hasOrdinaryDatabase({ args, env, launcher }: Required<Pick<StartHubOptions, "args" | "env" | "launcher">>) {
  const settings = [...args, ...Object.keys(env)];
  return launcher.length === 0 && !settings.some((name) => /database|postgres/i.test(name));
}

const readyMessage = "hub is ready";

function readSignIn(log: string): { adminToken: string; caFingerprint: string } {
  const adminToken = /\bfla_[0-9a-z]+/.exec(log)?.[0];
  const caFingerprint = /\b[0-9a-f]{64}\b/.exec(log)?.[0];
  if (adminToken === undefined || caFingerprint === undefined) {
    throw new Error("the hub's first start told no admin token or no fingerprint of its certificate authority");
  }
  return { adminToken, caFingerprint };
}
