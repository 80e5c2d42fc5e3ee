import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { runCommand } from "../cluster/index.ts";
import { waitForFileLock } from "../locks/index.ts";
import { databaseVariable } from "./copy-database.ts";

/**
 * Fills an empty folder with what `make` puts into the one that it is given. A run of tests makes that once. Copies of a
 * database have one system identifier.
 */
export async function fillFolder(options: {
  /** The same for what is the same. */
  readonly name: string;
  readonly folder: string;
  readonly make: (folder: string) => Promise<void>;
  /** The wait for another test that makes it; two minutes unless told. */
  readonly waitMs?: number;
}): Promise<void> {
  const { name, folder, make, waitMs = 120_000 } = options;
  const made = process.env[databaseVariable];
  if (made === undefined) return await make(folder);
  const kept = join(dirname(made), `kept-${name}`);
  {
    await using _lock = await waitForFileLock({ path: `${kept}.lock`, timeoutMs: waitMs });
    await makeOnce(kept, make);
  }
  // With its owners: a server doesn't run as root.
  await runCommand("cp", ["-a", `${kept}/.`, folder], { env: { PATH: process.env["PATH"] ?? "" } });
}

/** Under its own name once it is whole. */
async function makeOnce(kept: string, make: (folder: string) => Promise<void>): Promise<void> {
  if (existsSync(kept)) return;
  const draft = `${kept}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await make(draft);
  await rename(draft, kept);
}
