import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ClientConfig } from "pg";
import { readPassword, toConnection } from "./password.ts";
import { postgresFolder } from "./paths.ts";
import { findServer, pidFile } from "./pid-file.ts";

/** The way to the server that a hub runs on its data folder; undefined when none runs. */
export async function findRunningServer(dataDir: string): Promise<ClientConfig | undefined> {
  const root = postgresFolder(dataDir);
  for (const name of (await readdir(root)).filter((each) => /^\d+$/.test(each))) {
    const dataFolder = join(root, name);
    if ((await findServer(dataFolder)) === undefined) continue;
    const password = await readPassword({ passwordFile: join(root, "password") });
    // It may lie anywhere.
    const [, , , , socketFolder = ""] = (await readFile(pidFile(dataFolder), "utf8")).split("\n");
    if (password !== undefined) return toConnection({ socketFolder }, password);
  }
  return undefined;
}
