// The one place that decides where a binary comes from: this machine, the cache folder, `go build`, a prebuilt archive.
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { toolsUnavailable } from "../errors.ts";
import { waitForFileLock } from "../locks/index.ts";
import { buildTool } from "./build.ts";
import { cacheFolder } from "./cache.ts";
import { catalog, type Tool, type ToolName } from "./catalog.ts";
import { fetchPrebuilt, isPrebuilt } from "./envtest-archive.ts";
import { findHostBinary, findOnPath } from "./host-binary.ts";

export type ToolPaths<Name extends ToolName = ToolName> = Readonly<Record<Name, string>>;

interface EnsureOptions {
  /** One line each; a build of the Kubernetes binaries takes minutes. Goes to stderr unless told. */
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const lockTimeoutMs = 40 * 60_000;

/** Absolute paths of the named binaries, building what is missing. Safe to call from several processes at once. */
export async function ensureTools<const Name extends ToolName>(
  names: readonly Name[],
  options: EnsureOptions = {},
): Promise<ToolPaths<Name>> {
  const { onProgress = (line) => process.stderr.write(`tools: ${line}\n`), signal } = options;
  if (process.platform !== "linux") throw toolsUnavailable(names.join(", "), "test clusters run on Linux only");
  const found: Partial<Record<ToolName, string>> = {};
  for (const name of names) {
    found[name] = await ensureTool(name, { onProgress, signal });
  }
  return found as ToolPaths<Name>;
}

const resolved = new Map<string, string>();

async function ensureTool(
  name: ToolName,
  options: { onProgress: (line: string) => void; signal: AbortSignal | undefined },
): Promise<string> {
  const tool = catalog[name];
  const destination = join(await cacheFolder(tool), name);
  const known = resolved.get(destination);
  if (known !== undefined && (await isExecutable(known))) return known;
  const path =
    (await findHostBinary(name, tool)) ??
    ((await isExecutable(destination)) ? destination : await makeTool({ name, tool, destination, ...options }));
  resolved.set(destination, path);
  return path;
}

async function makeTool(options: {
  name: ToolName;
  tool: Tool;
  destination: string;
  onProgress: (line: string) => void;
  signal: AbortSignal | undefined;
}): Promise<string> {
  const { name, tool, destination, onProgress, signal } = options;
  let waiting = false;
  await using _lock = await waitForFileLock({
    path: `${destination}.lock`,
    timeoutMs: lockTimeoutMs,
    signal,
    onWait: () => {
      if (!waiting) onProgress(`waiting for another process that builds ${name}`);
      waiting = true;
    },
  });
  if (await isExecutable(destination)) return destination;
  const go = await findOnPath("go");
  if (go !== undefined) {
    await buildTool({ name, tool, go, destination, onProgress, signal });
    return destination;
  }
  if (isPrebuilt(name) && (await fetchPrebuilt({ destination, onProgress, signal }))) return destination;
  throw toolsUnavailable(name, "it is neither on this machine nor in the cache, and there is no Go to build it");
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
