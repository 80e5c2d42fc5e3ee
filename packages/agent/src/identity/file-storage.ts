import { randomUUID } from "node:crypto";
import { chmod, mkdir, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { storeFailed } from "./errors.ts";
import { formatStored, type IdentityStorage, parseStored, type StoredIdentity } from "./storage.ts";

/**
 * Keeps the identity in a file that only its owner reads, replaced in one step so that a crash leaves the old or the
 * new one.
 */
export function createFileStorage(options: { folder: string }): IdentityStorage {
  const { folder } = options;
  const path = join(folder, "identity.json");
  return { place: path, read, update };

  async function read(): Promise<StoredIdentity> {
    let text: string;
    try {
      text = await readFile(path, "utf8");
      await chmod(path, 0o600);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
      throw storeFailed(path, error);
    }
    return parseStored(text, path);
  }

  async function update(change: (current: StoredIdentity) => StoredIdentity): Promise<StoredIdentity> {
    const next = change(await read());
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(path, formatStored(next));
    } catch (error) {
      throw storeFailed(path, error);
    }
    return next;
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomUUID()}`;
  try {
    {
      await using file = await open(temporary, "wx", 0o600);
      await file.writeFile(text);
      await file.sync();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
