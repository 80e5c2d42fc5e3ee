import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { runCommand } from "../cluster/index.ts";

/** Names the folder of a database without any data, which a run of tests makes once. */
export const databaseVariable = "FAIRLEAD_TEST_DATABASE";

/** Gives a new data folder its database, as the hub itself would make it. Does nothing where the run made none. */
export async function copyDatabase(dataDir: string): Promise<void> {
  const made = process.env[databaseVariable];
  const folder = join(dataDir, "postgres");
  if (made === undefined || existsSync(folder)) return;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // With its owners: a server doesn't run as root.
  await runCommand("cp", ["-a", made, folder], { env: { PATH: process.env["PATH"] ?? "" } });
}
