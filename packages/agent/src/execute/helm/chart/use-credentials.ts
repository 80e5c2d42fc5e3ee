// Repositories and logins for one fetch, in files of the private folder that are gone after it: helm takes passwords of
// repositories nowhere else but in its arguments, which anybody on the machine can read.
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sharedFileMode, sharedFolderMode } from "../../../processes/index.ts";
import { type CredentialPlace, placeOfUrl, secretErrors } from "../../../secrets/index.ts";
import type { Credentials, SecretValues } from "../../types.ts";
import { helmErrors } from "../errors.ts";
import type { Helm } from "../program/open-helm.ts";
import type { FetchedSource, ObjectRef } from "../types.ts";

export interface FetchAccess extends AsyncDisposable {
  /** The name under which helm knows the repository. */
  readonly repository: string;
  readonly args: readonly string[];
}

export async function useCredentials(options: {
  readonly source: FetchedSource;
  readonly helm: Helm;
  readonly secrets: SecretValues;
}): Promise<FetchAccess> {
  const { source, helm, secrets } = options;
  const login = source.credentials && (await readLogin(secrets.forHost(placeOf(source)), source.credentials));
  const files = {
    repositories: join(helm.configFolder, "repositories.yaml"),
    registry: join(helm.configFolder, "registry", "config.json"),
    authority: join(helm.configFolder, "ca.crt"),
  };
  const write = (path: string, text: string): Promise<void> => writeFile(path, text, { mode: sharedFileMode });
  if (login?.authority !== undefined) await write(files.authority, login.authority);
  const caFile = login?.authority === undefined ? {} : { caFile: files.authority };
  if (source.type === "repository") {
    const { username, password } = login ?? {};
    const entry = { name: repository, url: source.url, ...(login && { username, password }), ...caFile };
    await write(files.repositories, JSON.stringify({ apiVersion: "", repositories: [entry] }));
  } else if (login?.username !== undefined) {
    const [host = ""] = source.path.split("/");
    const auth = Buffer.from(`${login.username}:${login.password}`).toString("base64");
    await mkdir(join(helm.configFolder, "registry"), { recursive: true, mode: sharedFolderMode });
    await write(files.registry, JSON.stringify({ auths: { [host]: { auth } } }));
  }
  return {
    repository,
    args: source.type === "oci" && login?.authority !== undefined ? ["--ca-file", files.authority] : [],
    async [Symbol.asyncDispose]() {
      await Promise.all(Object.values(files).map((file) => rm(file, { force: true })));
    },
  };
}

interface Login {
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly authority: string | undefined;
}

function placeOf(source: FetchedSource): CredentialPlace {
  if (source.type === "repository") return placeOfUrl(source.url);
  return placeOfUrl(`${source.isPlainHttp ? "http" : "https"}://${source.path}`);
}

async function readLogin(secrets: Credentials, ref: ObjectRef): Promise<Login> {
  const name = `${ref.namespace}/${ref.name}`;
  const [username, password, authority] = await Promise.all(["username", "password", "ca.crt"].map(read));
  if ((username === undefined) !== (password === undefined))
    throw helmErrors.HELM_CREDENTIALS_INVALID({ secret: name, what: "it has only one of username and password" });
  if (username === undefined && authority === undefined)
    throw helmErrors.HELM_CREDENTIALS_INVALID({ secret: name, what: "it has neither username nor ca.crt" });
  if (/[\r\n]/.test(`${username}${password}`) || username?.includes(":"))
    throw helmErrors.HELM_CREDENTIALS_INVALID({
      secret: name,
      what: "its username or password has invalid characters",
    });
  return { username, password, authority };

  async function read(key: string): Promise<string | undefined> {
    return await secrets.resolve(`\${secret:${name}/${key}}`).catch((error: unknown) => {
      // A Secret that isn't there at all lacks all of them.
      if (secretErrors.is(error, "SECRET_REFERENCE_MISSING")) return undefined;
      throw error;
    });
  }
}

const repository = "source";
