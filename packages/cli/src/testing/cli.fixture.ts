import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { contextNameOf, readEnvironment, saveHubContext } from "../config/index.ts";
import { runCli } from "../run-cli.ts";
import { toStoredSession } from "../session/index.ts";
import type { Terminal } from "../terminal.ts";
import { type ContractHub, hubNow } from "./hub.fixture.ts";

interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home folder of its own and the command in it. */
export interface Cli extends AsyncDisposable {
  readonly home: string;
  readonly configFile: string;
  run(args: readonly string[], options?: RunOptions): Promise<CliResult>;
  signIn(hub: ContractHub): Promise<void>;
}

export interface RunOptions {
  readonly stdin?: string;
  readonly variables?: Record<string, string>;
  /** True when someone sits there. */
  readonly isTTY?: boolean;
  readonly signal?: AbortSignal;
  readonly now?: () => number;
  /** A browser that was asked to show a page. */
  readonly openBrowser?: (url: string) => void;
}

export async function createCli(): Promise<Cli> {
  const home = await mkdtemp(join(tmpdir(), "fairlead-cli-"));
  const configFile = join(home, ".config", "fairlead", "config.json");
  return {
    home,
    configFile,
    run: (args, options) => run(home, args, options ?? {}),
    signIn: async (hub) => {
      const session = toStoredSession(hub.sessions.open(), { sentAt: hubNow, hubNow: hub.now() });
      await saveHubContext(configFile, {
        name: contextNameOf(hub.url),
        hub: hub.url,
        ca: hub.authority.caPem,
        session,
      });
    },
    [Symbol.asyncDispose]: () => rm(home, { recursive: true, force: true }),
  };
}

async function run(home: string, args: readonly string[], options: RunOptions): Promise<CliResult> {
  const { terminal, stdout, stderr } = createTestTerminal(home, options);
  const code = await runCli(args, terminal);
  return { code, stdout: drain(stdout), stderr: drain(stderr) };
}

export function createTestTerminal(
  home: string,
  options: RunOptions = {},
): { terminal: Terminal; stdout: PassThrough; stderr: PassThrough } {
  const { isTTY = false, signal = new AbortController().signal } = options;
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(options.stdin ?? "");
  const terminal = {
    stdin: Object.assign(stdin, { isTTY }),
    stdout: Object.assign(stdout, { isTTY }),
    stderr: Object.assign(stderr, { isTTY }),
    environment: readEnvironment({ HOME: home, ...options.variables }),
    now: options.now ?? (() => hubNow),
    openBrowser: options.openBrowser ?? (() => undefined),
    signal,
  };
  return { terminal, stdout, stderr };
}

function drain(stream: PassThrough): string {
  const chunk: Buffer | null = stream.read();
  return chunk?.toString("utf8") ?? "";
}
