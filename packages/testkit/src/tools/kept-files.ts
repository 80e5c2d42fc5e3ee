// Keeps files that a tool's Go module has beside the program, such as an API's definitions. They are copied to where
// the program is built, so that a machine with a warm cache needs no Go.
import { execFile } from "node:child_process";
import { glob, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { parse } from "yaml";
import { moduleFolder } from "./cache.ts";
import type { Tool } from "./catalog.ts";

/** In it the files have the paths that they have in their module. Those of YAML end in `.json`. */
export const keptFolder = (folder: string): string => join(folder, "kept");

export async function keepFiles(
  tool: Tool,
  { go, folder }: { readonly go: string; readonly folder: string },
): Promise<void> {
  if (tool.keeps === undefined) return;
  const { goModule, paths } = tool.keeps;
  const list = ["list", "-m", "-f", "{{.Dir}}", goModule];
  const { stdout } = await run(go, list, { cwd: moduleFolder(tool), env: { ...process.env, GOWORK: "off" } });
  const source = stdout.trim();
  for (const path of paths) {
    for await (const file of glob([path, `${path}/**`], { cwd: source }))
      await keepFile(source, keptFolder(folder), file);
  }
}

/** Go's cache has everything read-only, and nothing executable. A megabyte of YAML takes a second to read, so it is read once. */
async function keepFile(source: string, folder: string, file: string): Promise<void> {
  if ((await stat(join(source, file))).isDirectory()) return;
  const isYaml = file.endsWith(".yaml");
  const kept = join(folder, isYaml ? file.replace(/yaml$/, "json") : file);
  const text = await readFile(join(source, file), "utf8");
  await mkdir(dirname(kept), { recursive: true });
  await writeFile(kept, isYaml ? JSON.stringify(parse(text)) : text, { mode: file.endsWith(".sh") ? 0o755 : 0o644 });
}

const run = promisify(execFile);
