// A restore into a folder leaves a mark there until all is in place. A hub refuses such a folder, and the next restore
// removes what the mark names and begins anew.
import { open, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { storeErrors } from "../errors.ts";
import { endServerOn, postgresFolder } from "../postgres/index.ts";

/** Throws STORE_RESTORE_UNFINISHED. */
export async function mustBeFinished(dataDir: string): Promise<void> {
  if ((await readMark(dataDir)) !== undefined) throw storeErrors.STORE_RESTORE_UNFINISHED({ dataDir });
}

/** The folder must hold none of `names`, nor anything else unless `others` may be there. Throws STORE_NOT_EMPTY. */
export async function beginRestore(
  dataDir: string,
  { names, others }: { readonly names: readonly string[]; readonly others: "refused" | "kept" },
): Promise<void> {
  await abandonRestore(dataDir);
  const found = (await readdir(dataDir)).filter((name) => !/^(?:hub\.(?:lock|next)|lost\+found$)/.test(name));
  const obstacle = found.find((name) => others === "refused" || names.includes(name));
  if (obstacle !== undefined) throw storeErrors.STORE_NOT_EMPTY({ place: `The folder ${dataDir}`, found: obstacle });
  await using file = await open(markFile(dataDir), "wx", 0o600);
  await file.writeFile(JSON.stringify(names));
  await file.sync();
  await syncFolder(dataDir);
}

/** Removes what a restore made so far. */
export async function abandonRestore(dataDir: string): Promise<void> {
  const names = (await readMark(dataDir)) ?? [];
  // A restore that was killed left its server.
  if (names.includes("postgres")) await endServerOn(postgresFolder(dataDir));
  for (const name of names) await rm(join(dataDir, name), { recursive: true, force: true });
  await rm(markFile(dataDir), { force: true });
}

/** All is on disk before the mark goes. */
export async function finishRestore(dataDir: string, names: readonly string[]): Promise<void> {
  for (const name of names) await syncAll(join(dataDir, name));
  await syncFolder(dataDir);
  await rm(markFile(dataDir));
  await syncFolder(dataDir);
}

async function readMark(dataDir: string): Promise<readonly string[] | undefined> {
  try {
    const text = await readFile(markFile(dataDir), "utf8");
    const names: unknown = text === "" ? [] : JSON.parse(text);
    const isOurs = (name: unknown): name is string =>
      typeof name === "string" && /^[\w.-]+$/.test(name) && name !== "..";
    return Array.isArray(names) ? names.filter(isOurs) : [];
  } catch (error) {
    if (error instanceof SyntaxError) return []; // it was being written, and nothing else was
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** PostgreSQL syncs its own files. */
async function syncAll(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return;
  await syncFolder(path);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== "postgres") await syncAll(join(path, entry.name));
  }
}

async function syncFolder(path: string): Promise<void> {
  await using handle = await open(path, "r");
  await handle.sync();
}

function markFile(dataDir: string): string {
  return join(dataDir, "restore.unfinished");
}
