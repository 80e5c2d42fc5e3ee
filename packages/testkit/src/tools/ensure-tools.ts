// The one place that decides where a binary comes from: this machine, the cache folder, `go build`, or, only where that
// was asked for, a published file.
import { constants } from "node:fs";
import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { toolsUnavailable } from "../errors.ts";
import { waitForFileLock } from "../locks/index.ts";
import { buildTool } from "./build.ts";
import { cacheFolder, cacheRoot } from "./cache.ts";
import { catalog, type Tool, type ToolName } from "./catalog.ts";
import { downloadPrograms } from "./download.ts";
import { findDownload } from "./downloads.ts";
import { findHostBinary, findOnPath } from "./host-binary.ts";

export type ToolPaths<Name extends ToolName = ToolName> = Readonly<Record<Name, string>>;

interface EnsureOptions {
  /** Gets a line at a time, since a build of the Kubernetes binaries takes minutes. Lines go to stderr unless told. */
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Takes missing programs from their makers' releases, rather than build them. */
  readonly download?: boolean | undefined;
  /** Takes the place of tools/downloads.json. */
  readonly manifestFile?: string | undefined;
}

const lockTimeoutMs = 40 * 60_000;

/** Absolute paths of the named binaries, building what is missing. Safe to call from several processes at once. */
export async function ensureTools<const Name extends ToolName>(
  names: readonly Name[],
  options: EnsureOptions = {},
): Promise<ToolPaths<Name>> {
  const {
    onProgress = (line) => process.stderr.write(`tools: ${line}\n`),
    signal,
    download = false,
    manifestFile,
  } = options;
  if (process.platform !== "linux") {
    throw toolsUnavailable({ name: names.join(", "), reason: "test clusters run on Linux only" });
  }
  const found: Partial<Record<ToolName, string>> = {};
  for (const name of names) {
    found[name] = await ensureTool(name, { onProgress, signal, download, manifestFile });
  }
  return found as ToolPaths<Name>;
}

const resolved = new Map<string, string>();

interface Ensuring {
  readonly onProgress: (line: string) => void;
  readonly signal: AbortSignal | undefined;
  readonly download: boolean;
  readonly manifestFile: string | undefined;
}

async function ensureTool(name: ToolName, options: Ensuring): Promise<string> {
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

/** Downloaded programs don't lie among those that were built, whose version is the one in the module's file. */
function downloadFolder(): string {
  return join(cacheRoot(), "tools", "downloaded");
}

async function makeTool(
  options: Ensuring & { readonly name: ToolName; readonly tool: Tool; readonly destination: string },
): Promise<string> {
  const { name, tool, destination, onProgress, signal, download, manifestFile } = options;
  let waiting = false;
  await using _lock = await waitForFileLock({
    path: `${destination}.lock`,
    timeoutMs: lockTimeoutMs,
    signal,
    onWait: () => {
      if (!waiting) onProgress(`waiting for another process that makes ${name}`);
      waiting = true;
    },
  });
  if (await isExecutable(destination)) return destination;
  const downloaded = download ? await downloadTool({ name, onProgress, signal, manifestFile }) : undefined;
  if (downloaded !== undefined) return downloaded;
  const go = await findOnPath("go");
  if (go === undefined) throw toolsUnavailable({ name, reason: missingWithoutGo(download) });
  await buildTool({ name, tool, go, destination, onProgress, signal });
  return destination;
}

/** Undefined when no address is known for it. */
async function downloadTool(
  options: Omit<Ensuring, "download"> & { readonly name: ToolName },
): Promise<string | undefined> {
  const { name, manifestFile, ...fetching } = options;
  const platform = `${process.platform}-${process.arch}`;
  const found = findDownload(name, { platform, from: process.env["FAIRLEAD_DOWNLOAD_FROM"], manifestFile });
  if (found?.url === undefined) return undefined;
  const folder = join(downloadFolder(), found.digest.hex.slice(0, 16));
  const path = join(folder, name);
  await mkdir(folder, { recursive: true });
  // A file has several programs: another process may be fetching it for one of the others.
  await using _lock = await waitForFileLock({
    path: `${folder}.lock`,
    timeoutMs: lockTimeoutMs,
    signal: options.signal,
  });
  if (!(await isExecutable(path))) await downloadPrograms({ ...found, url: found.url }, { folder, ...fetching });
  return path;
}

function missingWithoutGo(download: boolean): string {
  const missing = "it is neither on this machine nor in the cache, and there is no Go to build it";
  return download ? `no address to download it from is known, ${missing}` : missing;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
