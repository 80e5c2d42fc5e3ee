// Programs of other projects that tests run against (proxies, balancers, sshd), from Debian's packages. They are
// unpacked into the cache folder, not installed: no service starts, nothing outside the folder changes, no root needed.
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, mkdir, readdir, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { debianProgramUnavailable } from "../errors.ts";
import { waitForFileLock } from "../locks/index.ts";
import { cacheRoot } from "./cache.ts";

export interface DebianProgram {
  /** Absolute path of the program. */
  readonly path: string;
  /** Variables that its process needs in addition, for the folders of its libraries. */
  readonly env: Readonly<Record<string, string>>;
  /** The folder that stands for "/" in the packages' own paths. */
  readonly root: string;
}

const run = promisify(execFile);
const timeoutMs = 300_000;
const options = { timeout: timeoutMs, env: { ...process.env, LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" } };

/** Gives this machine's own program if there is one, else one unpacked from the package and its dependencies. */
export async function ensureDebianProgram(wanted: {
  /** Such as "openssh-server". */
  package: string;
  /** Its path in the package, without the leading slash: "usr/sbin/sshd". */
  program: string;
}): Promise<DebianProgram> {
  const installed = join("/", wanted.program);
  if (await isExecutable(installed)) return { path: installed, env: {}, root: "/" };
  const root = join(cacheRoot(), "tools", `debian-${wanted.package}-${process.arch}`);
  const path = join(root, wanted.program);
  if (!(await isExecutable(path))) await unpack(wanted.package, root);
  if (!(await isExecutable(path)))
    throw debianProgramUnavailable({ name: basename(path), reason: `${wanted.package} has no such file` });
  return { path, env: { LD_LIBRARY_PATH: libraryFolders(root) }, root };
}

async function unpack(name: string, root: string): Promise<void> {
  await mkdir(join(root, ".."), { recursive: true });
  await using _lock = await waitForFileLock({ path: `${root}.lock`, timeoutMs });
  if (await isFolder(root)) return;
  const draft = `${root}.${process.pid}`;
  try {
    const packages = join(draft, ".packages");
    await mkdir(join(packages, "partial"), { recursive: true });
    await download(name, packages);
    const files = (await readdir(packages)).filter((file) => file.endsWith(".deb"));
    for (const file of files) await run("dpkg-deb", ["--extract", join(packages, file), draft], options);
    await rm(packages, { recursive: true });
    await rename(draft, root);
  } catch (cause) {
    throw debianProgramUnavailable({ name, reason: "Debian's package could not be fetched", cause });
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** The package and those of its dependencies that this machine lacks. A machine without package lists gets its own. */
async function download(name: string, packages: string): Promise<void> {
  // Apt's locks aren't needed, since nothing of the system changes. Another apt may be at work, and we may not be root.
  const apt = ["-o", "Debug::NoLocking=1", "-o", `Dir::Cache::archives=${packages}`];
  const install = ["install", "--download-only", "--yes", "--no-install-recommends", name];
  try {
    await run("apt-get", [...apt, ...install], options);
  } catch {
    const lists = join(cacheRoot(), "tools", "debian-lists");
    await mkdir(join(lists, "partial"), { recursive: true });
    const own = [...apt, "-o", `Dir::State::Lists=${lists}`, "-o", `Dir::Cache=${packages}`];
    await run("apt-get", [...own, "update"], options);
    await run("apt-get", [...own, ...install], options);
  }
}

function libraryFolders(root: string): string {
  const triplet = process.arch === "arm64" ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
  return ["usr/lib", "lib"].map((folder) => join(root, folder, triplet)).join(":");
}

function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function isFolder(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  );
}
