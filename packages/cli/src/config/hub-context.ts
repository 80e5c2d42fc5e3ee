import { cliErrors } from "../errors.ts";
import { type ConfigFile, type HubContext, lockConfigFile, readConfigFile, writeConfigFile } from "./config-file.ts";

/** Which context, of which file. */
export interface HubContextRef {
  readonly file: string;
  /** Undefined: the one of the last sign-in. */
  readonly name?: string | undefined;
  /** The hub it must be for: a token must not go to another because a context's name was used again. */
  readonly hub?: string | undefined;
}

export interface NamedHubContext extends HubContext {
  readonly name: string;
}

export async function loadHubContext(ref: HubContextRef): Promise<NamedHubContext> {
  const hubContext = await findHubContext(ref);
  if (!hubContext)
    throw ref.name === undefined
      ? cliErrors.CLI_NOT_SIGNED_IN({ file: ref.file })
      : cliErrors.CLI_CONTEXT_UNKNOWN({ name: ref.name, file: ref.file });
  return hubContext;
}

export async function findHubContext(ref: HubContextRef): Promise<NamedHubContext | undefined> {
  return pickHubContext(await readConfigFile(ref.file), ref);
}

export function pickHubContext(
  config: ConfigFile | undefined,
  { name, hub }: HubContextRef,
): NamedHubContext | undefined {
  const chosen = name ?? config?.current;
  if (chosen === undefined || !config || !Object.hasOwn(config.contexts, chosen)) return undefined;
  const hubContext = config.contexts[chosen] as HubContext;
  if (hub !== undefined && hubContext.hub !== hub)
    throw cliErrors.CLI_CONTEXT_OTHER_HUB({ name: chosen, actual: hubContext.hub, wanted: hub });
  return { ...hubContext, name: chosen };
}

/** Keeps a sign-in and makes it the current one. A file that can't be understood is replaced. */
export async function saveHubContext(file: string, { name, ...hubContext }: NamedHubContext): Promise<void> {
  await using _ = await lockConfigFile(file, { waitMs: lockWaitMs });
  const before = await readOrForget(file);
  await writeConfigFile(file, { current: name, contexts: { ...before?.contexts, [name]: hubContext } });
}

/** Signs out here: the hub and its CA stay, so that signing in again needs no more than the hub's address. */
export async function dropSession(file: string, name: string): Promise<void> {
  await using _ = await lockConfigFile(file, { waitMs: lockWaitMs });
  const config = await readConfigFile(file);
  const hubContext = pickHubContext(config, { file, name });
  if (config && hubContext?.session) await writeConfigFile(file, withSession(config, name, undefined));
}

/** Keeps what the hub's CAs are by now, unless the context was changed meanwhile. */
export async function replaceCa(file: string, change: { name: string; before: string; ca: string }): Promise<void> {
  const { name, before, ca } = change;
  await using _ = await lockConfigFile(file, { waitMs: lockWaitMs });
  const config = await readConfigFile(file);
  if (config?.contexts[name]?.ca === before) await writeConfigFile(file, withCa(config, name, ca));
}

export function withCa(config: ConfigFile, name: string, ca: string): ConfigFile {
  const hubContext = config.contexts[name];
  return hubContext ? { ...config, contexts: { ...config.contexts, [name]: { ...hubContext, ca } } } : config;
}

export function withSession(config: ConfigFile, name: string, session: HubContext["session"]): ConfigFile {
  const hubContext = config.contexts[name];
  return hubContext ? { ...config, contexts: { ...config.contexts, [name]: { ...hubContext, session } } } : config;
}

/** A context that isn't given a name is called as people say its hub: `hub.example.com:8443`. */
export function contextNameOf(hub: string): string {
  return hub.replace(/^https:\/\//, "");
}

/** Longer than the longest refresh that another process can be in the middle of. */
const lockWaitMs = 45_000;

async function readOrForget(file: string): Promise<ConfigFile | undefined> {
  try {
    return await readConfigFile(file);
  } catch (thrown) {
    if (cliErrors.is(thrown, "CLI_CONFIG_INVALID")) return undefined;
    throw thrown;
  }
}
