import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { repoRoot } from "../repo-root.ts";
import type { Tool } from "./catalog.ts";

/** Bumped when the way of building changes without a change in the module's files. */
const recipe = "1";

export function cacheRoot(): string {
  return process.env["FAIRLEAD_CACHE_DIR"] ?? join(repoRoot, ".cache");
}

export function moduleFolder(tool: Tool): string {
  return join(repoRoot, tool.parent ?? "tools", tool.module);
}

/**
 * The binaries of this tool's module lie here. Each state of the module's own files has a folder; so has each
 * architecture (as Node names it), this machine's unless told.
 */
export async function cacheFolder(tool: Tool, arch: string = process.arch): Promise<string> {
  const folder = join(cacheRoot(), "tools", `${tool.module}-${await hashModule(tool, arch)}`);
  await mkdir(folder, { recursive: true });
  return folder;
}

async function hashModule(tool: Tool, arch: string): Promise<string> {
  const hash = createHash("sha256").update(`${recipe} ${process.platform} ${arch}\n`);
  if (tool.keeps !== undefined) hash.update(JSON.stringify(tool.keeps));
  if (tool.buildTags !== undefined) hash.update(JSON.stringify(tool.buildTags));
  const folder = moduleFolder(tool);
  const files = (await readdir(folder)).filter((name) => /^go\.(?:mod|sum)$|\.go$/.test(name)).sort();
  for (const name of files) {
    const content = await readFile(join(folder, name));
    hash.update(`${name} ${content.length}\n`).update(content);
  }
  return hash.digest("hex").slice(0, 16);
}
