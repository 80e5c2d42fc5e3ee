import { join } from "node:path";
import { type CommandOptions, type CommandResult, runCommand } from "../cluster/index.ts";
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
  readonly signIn: SignIn;
}): Promise<SignedInCli> {
  const { url, folder, signIn } = options;
  const cliConfig = join(folder, "cli.yaml");
  const cli = (args: readonly string[], { env, ...rest }: CommandOptions = {}) =>
    runCommand(process.execPath, [...programArgs("cli"), ...args], {
      ...rest,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: folder,
        FAIRLEAD_CONFIG: cliConfig,
        ...compileCache(),
        ...env,
      },
    });
  await cli(["login", url, "--ca-fingerprint", signIn.caFingerprint], { env: { FAIRLEAD_TOKEN: signIn.adminToken } });
  return { cliConfig, cli };
}
