// `fairlead credential`: what kubectl runs before its requests. It loads next to nothing while the token is good, and
// says whatever is wrong in one line on stderr, which kubectl shows as it is.
import { parseArgs } from "node:util";
import { printable, toFairleadError } from "@fairlead/kernel";
import { exitCodeOf, exitCodes } from "../exit-codes.ts";
import { useSession } from "../session/index.ts";
import type { Terminal } from "../terminal.ts";
import { credentialErrors } from "./errors.ts";
import { type Credential, formatExecCredential } from "./exec-credential.ts";

export interface CredentialOptions {
  readonly config?: string | undefined;
  readonly context?: string | undefined;
  readonly hub?: string | undefined;
}

/** With the words after `fairlead credential`. Never throws; the number is the exit code. */
export async function runCredential(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await printCredential(parse(args), terminal);
    return exitCodes.ok.value;
  } catch (thrown) {
    if (terminal.signal.aborted) return exitCodes.interrupted.value;
    const error = toFairleadError(thrown);
    const text = [error.message, error.hint].filter((part) => part !== undefined).join(" ");
    terminal.stderr.write(`fairlead: ${printable(text)} (${printable(error.code)})\n`);
    return exitCodeOf(error);
  }
}

export async function printCredential(options: CredentialOptions, terminal: Terminal): Promise<void> {
  const { environment, stdout } = terminal;
  stdout.write(formatExecCredential(await findCredential(options, terminal), environment.execInfo));
}

async function findCredential(options: CredentialOptions, terminal: Terminal): Promise<Credential> {
  const { environment, now, signal } = terminal;
  if (environment.token !== undefined) return { token: environment.token };
  const { config: file = environment.configFile, hub } = options;
  const name = options.context ?? environment.context ?? environment.formerContext;
  const { proxy } = environment;
  const { session } = await useSession({ ref: { file, name, hub }, now, proxy, signal });
  // The client asks again when a new token is to be had; when the hub is away, this one lasts to its very end.
  const expiresAt = now() < session.refreshAt ? session.refreshAt : session.accessTokenExpiresAt;
  return { token: session.accessToken, expiresAt };
}

function parse(args: readonly string[]): CredentialOptions {
  const text = { type: "string" } as const;
  try {
    // Kubeconfigs that were written before say --profile.
    const options = { config: text, context: text, profile: text, hub: text };
    const { profile, context = profile, config, hub } = parseArgs({ args: [...args], options, strict: true }).values;
    return { config, context, hub };
  } catch (thrown) {
    throw credentialErrors.CLI_USAGE({ cause: thrown });
  }
}
