// Names the disk on which logs wait. An outcome says where the rest of its log is, so that whoever finds the outcome
// knows whether the log can still come.
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Makes the name where there is none. Undefined where the disk takes nothing. */
export async function readSpoolId(folder: string): Promise<string | undefined> {
  const path = join(folder, spoolIdFile);
  const known = await readFile(path, "utf8").catch(() => "");
  if (known !== "") return known;
  const made = randomUUID();
  return await writeFile(path, made, { mode: 0o600 }).then(
    () => made,
    () => undefined,
  );
}

const spoolIdFile = "spool-id";
