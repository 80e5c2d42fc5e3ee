import { readGitAddress } from "../git/index.ts";
import { type CredentialPlace, placeOfUrl } from "../secrets/index.ts";
import type { Credentials, SecretValues } from "./types.ts";

/** Secrets for the access to a repository go to its host alone. Throws GIT_ADDRESS_INVALID. */
export function gitCredentials(secrets: SecretValues, url: string): Credentials {
  return secrets.forHost(placeOf(url));
}

function placeOf(text: string): CredentialPlace {
  const { is, url, host } = readGitAddress(text);
  // `git@HOST:PATH` is no URL.
  return is === "http" || url.startsWith("ssh://") ? placeOfUrl(url) : { host, port: 22, isEncrypted: true };
}
