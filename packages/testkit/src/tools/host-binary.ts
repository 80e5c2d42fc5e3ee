import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { promisify } from "node:util";
import type { Tool, ToolName } from "./catalog.ts";

const run = promisify(execFile);

/** A binary that this machine already has, if its version fits. KUBEBUILDER_ASSETS wins over PATH. */
export async function findHostBinary(name: ToolName, tool: Tool): Promise<string | undefined> {
  if (tool.hostVersion === undefined) return undefined;
  const { args, fits } = tool.hostVersion;
  for (const path of await candidates(name)) {
    if (fits.test(await versionText(path, args))) return path;
  }
  return undefined;
}

export async function findOnPath(name: string): Promise<string | undefined> {
  return (await executables((process.env["PATH"] ?? "").split(delimiter), name))[0];
}

function candidates(name: string): Promise<string[]> {
  const assets = process.env["KUBEBUILDER_ASSETS"];
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return executables(assets === undefined ? folders : [assets, ...folders], name);
}

async function executables(folders: readonly string[], name: string): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders.filter(isAbsolute)) {
    const path = join(folder, name);
    const usable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (usable) found.push(path);
  }
  return found;
}

async function versionText(path: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout, stderr } = await run(path, args, { timeout: 10_000, killSignal: "SIGKILL" });
    return stdout + stderr;
  } catch {
    return "";
  }
}
