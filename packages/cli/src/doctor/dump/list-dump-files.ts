import { opendir } from "node:fs/promises";
import { join } from "node:path";
import { fileNotRead } from "../../errors.ts";
import { doctorCommandErrors } from "../errors.ts";

export interface DumpFiles {
  /** In alphabetical order. */
  readonly files: readonly string[];
  /** A link may lead out of the folder, or in circles. */
  readonly skippedLinks: readonly string[];
}

/** The files below a folder that may hold objects. */
export async function listDumpFiles(folder: string, signal: AbortSignal): Promise<DumpFiles> {
  const files: string[] = [];
  const skippedLinks: string[] = [];
  const folders = [{ path: folder, depth: 0 }];
  let entries = 0;
  for (const { path, depth } of folders) {
    signal.throwIfAborted();
    for await (const entry of await openFolder(path)) {
      if (++entries > mostEntries) throw tooLarge(folder, `${mostEntries} files and folders`);
      const inner = join(path, entry.name);
      if (entry.isSymbolicLink()) skippedLinks.push(inner);
      else if (entry.isDirectory()) {
        if (depth === mostDepth) throw tooLarge(folder, `a depth of ${mostDepth} folders`);
        folders.push({ path: inner, depth: depth + 1 });
      } else if (entry.isFile() && /\.(ya?ml|json)$/.test(entry.name)) files.push(inner);
    }
  }
  return { files: files.sort(), skippedLinks: skippedLinks.sort() };
}

async function openFolder(path: string) {
  try {
    return await opendir(path);
  } catch (thrown) {
    throw fileNotRead(path, thrown);
  }
}

function tooLarge(what: string, limit: string): Error {
  return doctorCommandErrors.CLI_DUMP_TOO_LARGE({ what, limit });
}

const mostEntries = 20_000;
const mostDepth = 16;
