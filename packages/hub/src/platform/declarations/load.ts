import { collect } from "./collect.ts";
import { parseFiles } from "./parse.ts";
import { type FolderText, readFolder } from "./read-folder.ts";
import type { Declarations } from "./types.ts";

export interface Loaded {
  readonly wanted: Declarations;
  readonly digest: string;
}

/** Throws DECLARATIONS_… and DECLARATION_…; undefined when the content is the one of this digest. */
export async function loadDeclarations(folder: string, knownDigest: string): Promise<Loaded | undefined>;
export async function loadDeclarations(folder: string): Promise<Loaded>;
export async function loadDeclarations(folder: string, knownDigest?: string): Promise<Loaded | undefined> {
  const text: FolderText = await readFolder(folder);
  if (text.digest === knownDigest) return undefined;
  return { wanted: collect(parseFiles(text.files, folder)), digest: text.digest };
}
