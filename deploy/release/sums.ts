import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { pipeline } from "node:stream/promises";

/** Writes SHA256SUMS over all files of a folder, as `sha256sum --check` reads it. */
export async function writeSums(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((name) => name !== "SHA256SUMS")
    .sort();
  const lines: string[] = [];
  for (const name of files) lines.push(`${await digestOf(join(folder, name))}  ${name}\n`);
  await writeFile(join(folder, "SHA256SUMS"), lines.join(""));
}

export async function digestOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
