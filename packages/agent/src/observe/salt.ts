// The salt of the hashes that stand for values: random, made once, kept beside the agent's identity, known to no hub.
import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type KubeClient, kubeErrors } from "@fairlead/kube";
import { observeErrors } from "./errors.ts";

export type ReadSalt = (signal: AbortSignal) => Promise<Uint8Array>;

interface Secret {
  readonly data?: Readonly<Record<string, string>>;
}

/** In a Secret of the agent's own namespace, which has to exist by now or may be created. */
export function saltInSecret(options: { client: KubeClient; name: string }): ReadSalt {
  const { client, name } = options;
  const { namespace } = client.access;
  const folder = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets`;
  const path = `${folder}/${encodeURIComponent(name)}`;
  return async (signal) => {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const secret = await find(signal);
      const salt = decodeSalt(secret?.data?.[member]);
      if (salt) return salt;
      const made = randomBytes(saltBytes);
      if (await write(secret, made, signal)) return made;
    }
    throw observeErrors.OBSERVE_SALT_FAILED({
      place: `Secret ${namespace}/${name}`,
      cause: new Error("others keep changing it"),
    });
  };

  async function find(signal: AbortSignal): Promise<Secret | undefined> {
    try {
      return await client.request<Secret>({ path, signal });
    } catch (error) {
      if (kubeErrors.is(error, "KUBE_NOT_FOUND")) return undefined;
      throw observeErrors.OBSERVE_SALT_FAILED({ place: `Secret ${namespace}/${name}`, cause: error });
    }
  }

  /** False when someone else wrote meanwhile: another replica's salt is ours as well. */
  async function write(secret: Secret | undefined, salt: Uint8Array, signal: AbortSignal): Promise<boolean> {
    const data = { ...secret?.data, [member]: Buffer.from(salt).toString("base64") };
    const labels = { "app.kubernetes.io/managed-by": "fairlead-agent" };
    const fresh = { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata: { name, labels }, data };
    try {
      if (secret) await client.request({ method: "PUT", path, body: { ...secret, data }, signal });
      else await client.request({ method: "POST", path: folder, body: fresh, signal });
      return true;
    } catch (error) {
      if (kubeErrors.is(error, "KUBE_CONFLICT", "KUBE_ALREADY_EXISTS")) {
        return false;
      }
      throw observeErrors.OBSERVE_SALT_FAILED({ place: `Secret ${namespace}/${name}`, cause: error });
    }
  }
}

/** In a file that only its owner reads. */
export function saltInFile(options: { folder: string }): ReadSalt {
  const { folder } = options;
  const path = join(folder, member);
  return async () => {
    try {
      return (await find()) ?? (await create());
    } catch (error) {
      throw observeErrors.OBSERVE_SALT_FAILED({ place: path, cause: error });
    }
  };

  async function find(): Promise<Uint8Array | undefined> {
    try {
      const salt = decodeSalt(await readFile(path, "utf8"));
      if (!salt) throw new Error("it isn't a salt");
      return salt;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
      throw error;
    }
  }

  /** Whole or not at all; of two processes that create it the first one's stays. */
  async function create(): Promise<Uint8Array> {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const temporary = `${path}.${randomUUID()}`;
    try {
      const text = `${randomBytes(saltBytes).toString("base64")}\n`;
      await writeFile(temporary, text, { mode: 0o600, flag: "wx", flush: true });
      await link(temporary, path).catch((error: unknown) => {
        if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
      });
    } finally {
      await rm(temporary, { force: true });
    }
    const salt = await find();
    if (!salt) throw new Error("it vanished");
    return salt;
  }
}

function decodeSalt(text: string | undefined): Uint8Array | undefined {
  const salt = Buffer.from(text ?? "", "base64");
  return salt.length >= saltBytes ? salt : undefined;
}

const member = "projection-salt";
const saltBytes = 32;
const attempts = 5;
