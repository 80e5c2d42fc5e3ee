import { dirname } from "node:path";
import type { ToolName } from "./catalog.ts";
import { ensureTools } from "./ensure-tools.ts";
import { keptFolder } from "./kept-files.ts";

/** Resolves to the folder with what the catalog says is kept beside this tool. */
export async function ensureKeptFiles(name: ToolName): Promise<string> {
  const paths = await ensureTools([name]);
  return keptFolder(dirname(paths[name]));
}
