// An agent as a process of its own, run from its sources, enrolled with a token like anybody's.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunningProcess } from "../processes/index.ts";
import { ensureTools } from "../tools/index.ts";
import { findLogLines } from "./log-lines.ts";
import { type Restartable, startProgram } from "./node-program.ts";
import { openStateDir } from "./state-dir.ts";

export interface StartAgentOptions {
  readonly name: string;
  /** The hub's agent listener, or a cable to it. */
  readonly hubUrl: string;
  /** Undefined where a mesh vouches for the agent. */
  readonly tokenFile: string | undefined;
  readonly kubeconfig: string;
  readonly stateDir?: string;
  /** Keeps its identity, and what it knows of commands, in Secrets instead of a folder, as in a pod. */
  readonly identitySecret?: string | undefined;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A command that runs the agent, which follows as its arguments. */
  readonly launcher?: readonly string[] | undefined;
  /** False to return before the link is up. */
  readonly waitForLink?: boolean;
  /** True to run the last build and not the sources. */
  readonly isBuilt?: boolean | undefined;
  readonly readyTimeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface TestAgent extends Restartable, AsyncDisposable {
  readonly stateDir: string;
  readonly logFile: string;
}

export async function startAgent(options: StartAgentOptions): Promise<TestAgent> {
  const { name, hubUrl, tokenFile, kubeconfig, identitySecret, args = [], env = {}, signal } = options;
  const { readyTimeoutMs = 60_000 } = options;
  await using undo = new AsyncDisposableStack();
  const stateDir = await openStateDir({ stateDir: options.stateDir, prefix: "fairlead-agent-", undo });
  const logFile = join(stateDir, "agent.log");
  const runner = await runnerVariable();
  const policy = await usualPolicy(args, stateDir);
  let running = await start();
  undo.defer(async () => {
    await running.stop({ graceMs: 10_000 });
  });
  const release = undo.move();
  return {
    stateDir,
    logFile,
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
    const message = "agent is connected";
    const startsBefore = (await findLogLines(logFile, message)).length;
    const isConnected = async () => (await findLogLines(logFile, message)).length > startsBefore;
    return startProgram("agent", {
      name: `agent of ${name}`,
      args: [
        "--hub",
        hubUrl,
        "--kubeconfig",
        kubeconfig,
        ...(tokenFile === undefined ? [] : ["--token-file", tokenFile]),
        ...(identitySecret === undefined
          ? ["--state-dir", join(stateDir, "identity")]
          : ["--identity-secret", identitySecret, "--execute-folder", join(stateDir, "execute")]),
        "--health-listen",
        "127.0.0.1:0",
        ...policy,
        ...args,
      ],
      env: { HOME: stateDir, ...runner, ...env },
      ...(options.launcher && { launcher: options.launcher }),
      logFile,
      isBuilt: options.isBuilt,
      ...(options.waitForLink === false ? {} : { readyWhen: isConnected }),
      readyTimeoutMs,
      signal,
    });
  }
}

/** Fences the programs of commands; an agent without the role execute has no use for it. */
async function runnerVariable(): Promise<Readonly<Record<string, string>>> {
  const { runner } = await ensureTools(["runner"]);
  return { FAIRLEAD_AGENT_EXECUTE_RUNNER: runner };
}

/** Charts and repositories of tests are on loopback, which a policy has to list. */
async function usualPolicy(args: readonly string[], stateDir: string): Promise<readonly string[]> {
  const isExecuting = args.some((word) => /\bexecute\b/.test(word));
  if (!isExecuting || args.some((word) => word.startsWith("--policy-file"))) return [];
  const file = join(stateDir, "policy.json");
  const allow = ["*", "127.0.0.1:*", "localhost:*"];
  await writeFile(file, JSON.stringify({ execute: { network: { hosts: { allow } } } }));
  return ["--policy-file", file];
}
