import { cliErrors } from "../errors.ts";
import { type ConfigFile, lockConfigFile, type Profile, readConfigFile, writeConfigFile } from "./config-file.ts";

/** Which profile, of which file. */
export interface ProfileRef {
  readonly file: string;
  /** Undefined: the one of the last sign-in. */
  readonly name?: string | undefined;
  /** The hub it must be for: a token must not go to another because a profile's name was used again. */
  readonly hub?: string | undefined;
}

export interface NamedProfile extends Profile {
  readonly name: string;
}

export async function loadProfile(ref: ProfileRef): Promise<NamedProfile> {
  const profile = await findProfile(ref);
  if (!profile)
    throw ref.name === undefined
      ? cliErrors.CLI_NOT_SIGNED_IN({ file: ref.file })
      : cliErrors.CLI_PROFILE_UNKNOWN({ name: ref.name, file: ref.file });
  return profile;
}

export async function findProfile(ref: ProfileRef): Promise<NamedProfile | undefined> {
  return pickProfile(await readConfigFile(ref.file), ref);
}

export function pickProfile(config: ConfigFile | undefined, { name, hub }: ProfileRef): NamedProfile | undefined {
  const chosen = name ?? config?.current;
  if (chosen === undefined || !config || !Object.hasOwn(config.profiles, chosen)) return undefined;
  const profile = config.profiles[chosen] as Profile;
  if (hub !== undefined && profile.hub !== hub)
    throw cliErrors.CLI_PROFILE_OTHER_HUB({ name: chosen, actual: profile.hub, wanted: hub });
  return { ...profile, name: chosen };
}

/** Keeps a sign-in and makes it the current one. A file that can't be understood is replaced. */
export async function saveProfile(file: string, { name, ...profile }: NamedProfile): Promise<void> {
  await using _ = await lockConfigFile(file, { waitMs: lockWaitMs });
  const before = await readOrForget(file);
  await writeConfigFile(file, { current: name, profiles: { ...before?.profiles, [name]: profile } });
}

/** Signs out here: the hub and its CA stay, so that signing in again needs no more than the hub's address. */
export async function dropSession(file: string, name: string): Promise<void> {
  await using _ = await lockConfigFile(file, { waitMs: lockWaitMs });
  const config = await readConfigFile(file);
  const profile = pickProfile(config, { file, name });
  if (config && profile?.session) await writeConfigFile(file, withSession(config, name, undefined));
}

/** Keeps what the hub's CAs are by now, unless the profile was changed meanwhile. */
export async function replaceCa(file: string, change: { name: string; before: string; ca: string }): Promise<void> {
  const { name, before, ca } = change;
  await using _ = await lockConfigFile(file, { waitMs: lockWaitMs });
  const config = await readConfigFile(file);
  if (config?.profiles[name]?.ca === before) await writeConfigFile(file, withCa(config, name, ca));
}

export function withCa(config: ConfigFile, name: string, ca: string): ConfigFile {
  const profile = config.profiles[name];
  return profile ? { ...config, profiles: { ...config.profiles, [name]: { ...profile, ca } } } : config;
}

export function withSession(config: ConfigFile, name: string, session: Profile["session"]): ConfigFile {
  const profile = config.profiles[name];
  return profile ? { ...config, profiles: { ...config.profiles, [name]: { ...profile, session } } } : config;
}

/** A profile that isn't given a name is called as people say its hub: `hub.example.com:8443`. */
export function profileNameOf(hub: string): string {
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
