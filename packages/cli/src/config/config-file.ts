// The file that `fairlead login` writes: for every hub whom to trust for it, and the session there. It is JSON because
// kubectl waits for it at every call, and a YAML parser takes longer to load than all the rest.

import { readFile } from "node:fs/promises";
import { isRecord } from "@fairlead/kernel";
import { cliErrors } from "../errors.ts";
import { followLinks, isMissing, lockFile, writePrivateFile } from "../files/index.ts";
import { parseSession, type StoredSession } from "./session.ts";

export interface ConfigFile {
  /** The context of the last sign-in. */
  readonly current?: string | undefined;
  readonly contexts: Readonly<Record<string, HubContext>>;
}

/** A hub, and the sign-in there. */
export interface HubContext {
  /** `https://host:port`, without a slash at its end. */
  readonly hub: string;
  /** The only CA that is trusted for the hub, as PEM. Absent: the system's own CAs. */
  readonly ca?: string | undefined;
  /** Absent after signing out. */
  readonly session?: StoredSession | undefined;
}

/** Undefined when there is no such file; a file that can't be understood is an error. */
export async function readConfigFile(file: string): Promise<ConfigFile | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw cliErrors.CLI_CONFIG_INVALID({ file, why: "it can't be read", cause: thrown });
  }
  return parseConfigFile(file, text);
}

/** Only for who holds the lock: readers see the old file or the new, but two writers would lose one's change. */
export async function writeConfigFile(file: string, config: ConfigFile): Promise<void> {
  await writePrivateFile(file, `${JSON.stringify({ version, ...config }, null, 2)}\n`);
}

export async function lockConfigFile(file: string, options: { readonly waitMs: number }): Promise<AsyncDisposable> {
  return lockFile(`${await followLinks(file)}.lock`, options);
}

const version = 2;

function parseConfigFile(file: string, text: string): ConfigFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw cliErrors.CLI_CONFIG_INVALID({ file, why: "it isn't JSON", cause: thrown });
  }
  if (!isRecord(value) || value["version"] !== version)
    throw cliErrors.CLI_CONFIG_INVALID({ file, why: `its version isn't ${version}` });
  const { current, contexts } = value;
  if (current !== undefined && typeof current !== "string")
    throw cliErrors.CLI_CONFIG_INVALID({ file, why: "'current' isn't a name" });
  if (!isRecord(contexts)) throw cliErrors.CLI_CONFIG_INVALID({ file, why: "'contexts' is missing" });
  const entries = Object.entries(contexts).map(
    ([name, hubContext]) => [name, parseHubContext(file, hubContext)] as const,
  );
  return { current, contexts: Object.fromEntries(entries) };
}

function parseHubContext(file: string, value: unknown): HubContext {
  if (!isRecord(value)) throw cliErrors.CLI_CONFIG_INVALID({ file, why: "a context isn't a mapping" });
  const { hub, ca, session } = value;
  if (typeof hub !== "string" || !hub.startsWith("https://"))
    throw cliErrors.CLI_CONFIG_INVALID({ file, why: "'hub' isn't an https:// URL" });
  if (ca !== undefined && !(typeof ca === "string" && ca.includes("-----BEGIN CERTIFICATE-----"))) {
    throw cliErrors.CLI_CONFIG_INVALID({ file, why: "'ca' isn't a certificate in PEM" });
  }
  const parsed = parseSession(session);
  if (session !== undefined && !parsed) throw cliErrors.CLI_CONFIG_INVALID({ file, why: "'session' isn't one" });
  return { hub, ca, session: parsed };
}
