// The public keys by which this agent believes that a command is the hub's.
import { readFile } from "node:fs/promises";
import { isRecord } from "@fairlead/kernel";
import { type CryptoKey, calculateJwkThumbprint, importJWK, type JWK } from "jose";
import { executeErrors } from "./errors.ts";

export interface CommandKeys {
  /** No key, no claims. */
  readonly isEmpty: boolean;
  /** Only the keys of the file count; those that a hub tells are ignored. */
  readonly arePinned: boolean;
  find(kid: string): CryptoKey | undefined;
  /** Takes what the hub says: all that are good now. Nothing said, or pinned keys, change nothing. */
  learn(jwks: readonly string[]): Promise<void>;
  /** Reads pinned keys again. Throws COMMAND_KEYS_FILE_INVALID; then those of before stay. */
  reread(): Promise<void>;
}

export async function openCommandKeys(options: { readonly file: string | undefined }): Promise<CommandKeys> {
  const { file } = options;
  let keys: ReadonlyMap<string, CryptoKey> = new Map();
  const self: CommandKeys = {
    get isEmpty() {
      return keys.size === 0;
    },
    arePinned: file !== undefined,
    find: (kid) => keys.get(kid),
    async learn(jwks) {
      if (file !== undefined || jwks.length === 0) return;
      const read = await Promise.all(jwks.slice(0, mostKeys).map((text) => importKey(parseJson(text))));
      const known = read.filter((key) => key !== undefined);
      if (known.length > 0) keys = new Map(known);
    },
    async reread() {
      if (file !== undefined) keys = await readKeysFile(file);
    },
  };
  await self.reread();
  return self;
}

async function readKeysFile(path: string): Promise<ReadonlyMap<string, CryptoKey>> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw executeErrors.COMMAND_KEYS_FILE_INVALID({ path, detail: "it can't be read", cause: error });
  });
  const whole = parseJson(text);
  const jwks = isRecord(whole) ? (Array.isArray(whole["keys"]) ? whole["keys"] : [whole]) : lines(text).map(parseJson);
  if (jwks.length === 0 || jwks.length > mostKeys)
    throw executeErrors.COMMAND_KEYS_FILE_INVALID({ path, detail: `it has ${jwks.length} keys` });
  const keys = await Promise.all(jwks.map(importKey));
  const bad = keys.indexOf(undefined);
  // Half of what somebody pinned would refuse the hub's commands and look like an attack.
  if (bad >= 0)
    throw executeErrors.COMMAND_KEYS_FILE_INVALID({ path, detail: `its key ${bad + 1} isn't a public Ed25519 key` });
  return new Map(keys.filter((key) => key !== undefined));
}

/** Undefined for what isn't a public Ed25519 key. A key without a `kid` has its thumbprint for one. */
async function importKey(value: unknown): Promise<readonly [string, CryptoKey] | undefined> {
  if (!isRecord(value) || "d" in value || value["kty"] !== "OKP" || value["crv"] !== "Ed25519") return undefined;
  const jwk = { kty: "OKP", crv: "Ed25519", x: value["x"] } as JWK;
  try {
    const key = (await importJWK(jwk, "EdDSA")) as CryptoKey;
    const kid = value["kid"];
    return [typeof kid === "string" && kid !== "" ? kid : await calculateJwkThumbprint(jwk), key];
  } catch {
    return undefined;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

const mostKeys = 16;
