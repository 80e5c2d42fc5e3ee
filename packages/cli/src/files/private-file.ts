import { mkdir, open, realpath, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { createId, isFairleadError } from "@fairlead/kernel";
import { fileNotWritten } from "../errors.ts";

/**
 * Writes a file that only its owner may read, whole or not at all: readers see the old content or the new. A symbolic
 * link stays one, and what it points to is written.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  try {
    const target = await followLinks(file);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const temporary = `${target}.${createId("tmp")}`;
    try {
      await writeThrough(temporary, text);
      await rename(temporary, target);
    } catch (thrown) {
      await rm(temporary, { force: true });
      throw thrown;
    }
  } catch (thrown) {
    throw isFairleadError(thrown) ? thrown : fileNotWritten(file, thrown);
  }
}

export function isMissing(thrown: unknown): boolean {
  return hasErrno(thrown, "ENOENT");
}

export function hasErrno(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === code;
}

export async function followLinks(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (thrown) {
    if (isMissing(thrown)) return file;
    throw thrown;
  }
}

async function writeThrough(file: string, text: string): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
