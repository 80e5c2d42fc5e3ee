import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommandOptions, type CommandResult, createApiClient, runCommand } from "../cluster/index.ts";
import { compileCache } from "../compile-cache.ts";
import { programArgs } from "./node-program.ts";

export interface SignIn {
  readonly adminToken: string;
  readonly caFingerprint: string;
}

export interface SignedInCli {
  /** The path that `FAIRLEAD_CONFIG` names. */
  readonly cliConfig: string;
  /** Runs `fairlead ARGS…`. Throws TESTKIT_COMMAND_FAILED unless `allowFailure`. */
  cli(args: readonly string[], options?: CommandOptions): Promise<CommandResult>;
}

/** Signs a CLI in to the hub at the URL, with its configuration in the folder. */
export async function signInCli(options: {
  readonly url: string;
  readonly folder: string;
  readonly caPem: string;
  readonly adminToken: string;
}): Promise<SignedInCli> {
  const cliConfig = join(options.folder, "cli.yaml");
  await writeFile(cliConfig, await signIn(options), { mode: 0o600 });
  const cli = (args: readonly string[], { env, ...rest }: CommandOptions = {}) =>
    runCommand(process.execPath, [...programArgs("cli"), ...args], {
      ...rest,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: options.folder,
        FAIRLEAD_CONFIG: cliConfig,
        ...compileCache(),
        ...env,
      },
    });
  return { cliConfig, cli };
}

interface Session {
  readonly sessionId: string;
  readonly accessToken: string;
  readonly accessTokenExpiresAt: string;
  readonly refreshToken: string;
}

/** Resolves to what `fairlead login` keeps. Tests start hundreds of hubs, and its start takes longer than the sign-in. */
async function signIn(options: {
  readonly url: string;
  readonly caPem: string;
  readonly adminToken: string;
}): Promise<string> {
  const { url, caPem, adminToken } = options;
  using api = createApiClient({ url, caPem, token: adminToken });
  const sentAt = Date.now();
  const session = await api.json<Session>({ method: "POST", path: "/api/v1/sessions" });
  const accessTokenExpiresAt = Date.parse(session.accessTokenExpiresAt);
  const kept = {
    id: session.sessionId,
    accessToken: session.accessToken,
    accessTokenExpiresAt,
    refreshAt: accessTokenExpiresAt - Math.min(60_000, (accessTokenExpiresAt - sentAt) / 4),
    refreshToken: session.refreshToken,
  };
  const name = new URL(url).host;
  return JSON.stringify({ version: 2, current: name, contexts: { [name]: { hub: url, ca: caPem, session: kept } } });
}
