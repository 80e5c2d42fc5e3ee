// The password of the server's only user, in a file that only the hub may read.
import { randomBytes } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import type { ClientConfig } from "pg";
import { type PostgresPaths, socketPort } from "./paths.ts";
import { databaseName, userName } from "./settings.ts";

/** Undefined when the file isn't there or is empty. */
export async function readPassword({ passwordFile }: Pick<PostgresPaths, "passwordFile">): Promise<string | undefined> {
  try {
    const password = await readFile(passwordFile, "utf8");
    return password === "" ? undefined : password;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

export function toConnection({ socketFolder }: Pick<PostgresPaths, "socketFolder">, password: string): ClientConfig {
  return { host: socketFolder, port: socketPort, user: userName, database: databaseName, password };
}

/** Written before the server knows it. `keepPassword` gives the file its name when the server does. */
export async function draftPassword({ passwordFile }: PostgresPaths): Promise<string> {
  const password = randomBytes(24).toString("base64url");
  await rm(`${passwordFile}.new`, { force: true });
  await writeFile(`${passwordFile}.new`, password, { mode: 0o600, flush: true });
  return password;
}

export async function keepPassword({ passwordFile }: PostgresPaths): Promise<void> {
  await rename(`${passwordFile}.new`, passwordFile);
}
