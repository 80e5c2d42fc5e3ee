// The file that `fairlead login` writes: which hub, whom to trust for it, and the token.
import { readFile } from "node:fs/promises";
import { parse, stringify } from "yaml";
import { configInvalid, notSignedIn } from "../errors.ts";
import { isMissing, writePrivateFile } from "../files/index.ts";

export interface Profile {
  /** `https://host:port`, without a slash at its end. */
  readonly hub: string;
  /** The only CA that is trusted for the hub, as PEM. Absent: the system's own CAs. */
  readonly ca?: string | undefined;
  readonly token: string;
}

export async function loadProfile(file: string): Promise<Profile> {
  const profile = await findProfile(file);
  if (!profile) throw notSignedIn(file);
  return profile;
}

/** Undefined when there is no such file; a file that can't be understood is an error. */
export async function findProfile(file: string): Promise<Profile | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (thrown) {
    if (isMissing(thrown)) return undefined;
    throw configInvalid(file, "it can't be read", thrown);
  }
  return readProfile(file, text);
}

export async function saveProfile(file: string, profile: Profile): Promise<void> {
  const text = stringify({ version, hub: profile.hub, ...(profile.ca && { ca: profile.ca }), token: profile.token });
  await writePrivateFile(file, `# Written by 'fairlead login'. Holds a secret: keep it to yourself.\n${text}`);
}

const version = 1;

function readProfile(file: string, text: string): Profile {
  let value: unknown;
  try {
    value = parse(text);
  } catch (thrown) {
    throw configInvalid(file, "it isn't YAML", thrown);
  }
  if (typeof value !== "object" || value === null) throw configInvalid(file, "it isn't a mapping");
  const { version: found, hub, ca, token } = value as Record<string, unknown>;
  if (found !== version) throw configInvalid(file, `its version isn't ${version}`);
  if (typeof hub !== "string" || !hub.startsWith("https://")) throw configInvalid(file, "'hub' isn't an https:// URL");
  if (typeof token !== "string" || token === "") throw configInvalid(file, "'token' is missing");
  if (ca !== undefined && !(typeof ca === "string" && ca.includes("-----BEGIN CERTIFICATE-----"))) {
    throw configInvalid(file, "'ca' isn't a certificate in PEM");
  }
  return { hub, token, ca };
}
