// A tool as images carry it: for either architecture, built by one version of Go, whatever this machine's settings of
// Go are. A program that tests have built already is taken where it was built alike.
import { access } from "node:fs/promises";
import { join } from "node:path";
import { toolsUnavailable } from "../errors.ts";
import { waitForFileLock } from "../locks/index.ts";
import { buildTool } from "./build.ts";
import { cacheFolder } from "./cache.ts";
import { catalog, type ToolName } from "./catalog.ts";
import { type GoBuildInfo, readGoBuildInfo } from "./go-build-info.ts";
import { findOnPath } from "./host-binary.ts";

export interface ImageTool {
  readonly path: string;
  readonly built: GoBuildInfo;
}

/** The bytes depend on it. */
export const imageGoVersion = "go1.26.8";

/** The machine as Go names it. */
export type GoArch = "amd64" | "arm64";

/** Safe to call from several processes at once. Throws TOOLS_UNAVAILABLE, TOOLS_BUILD_FAILED. */
export async function ensureImageTool(
  name: ToolName,
  options: { readonly arch: GoArch; readonly onProgress?: ((line: string) => void) | undefined },
): Promise<ImageTool> {
  const { arch, onProgress = () => {} } = options;
  const [usual, other] = await placesOf(name, arch);
  await using _lock = await waitForFileLock({ path: `${usual}.lock`, timeoutMs: lockTimeoutMs });
  const known = await findImageTool(name, { arch });
  if (known !== undefined) return known;
  const go = await findOnPath("go");
  if (go === undefined)
    throw toolsUnavailable({ name, reason: "it isn't in the cache, and there is no Go to build it" });
  const destination = (await exists(usual)) ? other : usual;
  const environment = { ...settingsOf(arch), ...unset };
  await buildTool({ name, tool: catalog[name], go, destination, onProgress, environment });
  const built = await readAlike(destination, arch);
  if (built === undefined) throw toolsUnavailable({ name, reason: `${go} didn't build it as images need it` });
  return { path: destination, built };
}

/** Undefined when it would have to be built. */
export async function findImageTool(
  name: ToolName,
  { arch }: { readonly arch: GoArch },
): Promise<ImageTool | undefined> {
  for (const path of await placesOf(name, arch)) {
    const built = await readAlike(path, arch);
    if (built !== undefined) return { path, built };
  }
  return undefined;
}

/** The place of the tests' tool, and one beside it for when that tool is built otherwise. */
async function placesOf(name: ToolName, arch: GoArch): Promise<readonly [string, string]> {
  const folder = await cacheFolder(catalog[name], arch === "amd64" ? "x64" : "arm64");
  return [join(folder, name), join(folder, `${name}-${imageGoVersion}`)];
}

const lockTimeoutMs = 40 * 60_000;
/** Overrides what a machine may have set for all builds. */
const unset = { GOFLAGS: "", GOEXPERIMENT: "", GOFIPS140: "off", GOTOOLCHAIN: imageGoVersion };

function settingsOf(arch: GoArch): Readonly<Record<string, string>> {
  const level = arch === "amd64" ? { GOAMD64: "v1" } : { GOARM64: "v8.0" };
  return { CGO_ENABLED: "0", GOOS: "linux", GOARCH: arch, ...level };
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

async function readAlike(path: string, arch: GoArch): Promise<GoBuildInfo | undefined> {
  const info = await readGoBuildInfo(path).catch(() => undefined);
  if (info?.goVersion !== imageGoVersion) return undefined;
  const wanted = { "-buildmode": "exe", "-compiler": "gc", "-trimpath": "true", ...settingsOf(arch) };
  const names = new Set([...Object.keys(wanted), ...Object.keys(info.settings)]);
  const isAlike = [...names].every((name) => info.settings[name] === (wanted as Record<string, string>)[name]);
  return isAlike ? info : undefined;
}
