import { collect } from "./collect.ts";
import { parseFiles } from "./parse.ts";
import { type FolderText, readFolder } from "./read-folder.ts";
import type { Declarations } from "./types.ts";

export interface Loaded {
  readonly wanted: Declarations;
  readonly digest: string;
}

/** Throws DECLARATIONS_… and DECLARATION_…. */
export async function loadDeclarations(folder: string): Promise<Loaded> {
  return toLoaded(folder, await readFolder(folder));
}

/** Undefined when the content is the one of this digest. Throws the same. */
export async function loadChanged(folder: string, knownDigest: string): Promise<Loaded | undefined> {
  const text = await readFolder(folder);
  return text.digest === knownDigest ? undefined : toLoaded(folder, text);
}

function toLoaded(folder: string, { files, digest }: FolderText): Loaded {
  return { wanted: collect(parseFiles(files, folder)), digest };
}
