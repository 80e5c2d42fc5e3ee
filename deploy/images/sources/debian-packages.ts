// Packages of Debian for any architecture, by apt with lists and settings of its own: nothing of this machine changes,
// and no root is needed. apt checks the signatures of the lists; we check each package against the lock file.
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cachePath, exists } from "../cache.ts";
import { imageErrors, packageGone } from "../errors.ts";
import type { LockedDebianPackage } from "../lock.ts";
import type { Arch } from "../platform.ts";
import { run } from "./run.ts";

export interface DebianSources {
  /** A list of sources in apt's format, instead of this machine's. */
  readonly aptSources?: string | undefined;
}

export interface DebianPackage extends LockedDebianPackage {
  readonly arch: Arch;
  /** Path of the .deb file. */
  readonly file: string;
}

/** The packages that the lock file names; with `allowNewer` the newest of those whose locked version is gone. */
export async function fetchDebianPackages(
  options: DebianSources & { arch: Arch; locked: readonly LockedDebianPackage[]; allowNewer?: boolean | undefined },
): Promise<DebianPackage[]> {
  const { arch, locked, allowNewer = false } = options;
  const cached = await Promise.all(locked.map((wanted) => exists(debPath(wanted))));
  if (cached.every(Boolean)) return locked.map((wanted) => ({ ...wanted, arch, file: debPath(wanted) }));
  await using apt = await openApt(options);
  const offers = await apt.list(locked.map(({ name }) => name));
  const found = locked.map((wanted) => ({ wanted, offer: choose(wanted, offers, allowNewer) }));
  const gone = found.filter(({ offer }) => offer === undefined).map(({ wanted }) => ({ ...wanted, arch }));
  if (gone.length > 0) {
    throw packageGone(gone.map((one) => ({ ...one, ...newestOf(one.name, offers) })));
  }
  const chosen = found.flatMap(({ offer }) => offer ?? []);
  await apt.download(chosen);
  return chosen.map((one) => ({ ...one, arch, file: debPath(one) }));
}

/** Gives the newest versions that the sources have. */
export async function newestDebianPackages(
  options: DebianSources & { arch: Arch; names: readonly string[] },
): Promise<LockedDebianPackage[]> {
  await using apt = await openApt(options);
  const offers = await apt.list(options.names);
  return options.names.map((name) => {
    const newest = offers.find((offer) => offer.name === name);
    if (newest === undefined) throw packageGone([{ name, arch: options.arch, version: "(any version)" }]);
    return newest;
  });
}

interface Apt extends AsyncDisposable {
  /** Every version that the sources have, of each name the best first. */
  list(names: readonly string[]): Promise<LockedDebianPackage[]>;
  download(packages: readonly LockedDebianPackage[]): Promise<void>;
}

async function openApt({ arch, aptSources }: DebianSources & { arch: Arch }): Promise<Apt> {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-apt-"));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await Promise.all(
    ["lists/partial", "cache/archives/partial", "debs"].map((path) => mkdir(join(folder, path), { recursive: true })),
  );
  await writeFile(join(folder, "status"), "");
  const settings = {
    "APT::Architecture": arch,
    "APT::Architectures::": arch,
    "APT::Sandbox::User": "root",
    "Dir::State": folder,
    "Dir::State::Lists": join(folder, "lists"),
    "Dir::State::status": join(folder, "status"),
    "Dir::Cache": join(folder, "cache"),
    "Debug::NoLocking": "1",
    "Acquire::Languages": "none",
    "Acquire::IndexTargets::deb::DEP-11::DefaultEnabled": "false",
    "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled": "false",
    ...(aptSources !== undefined && { "Dir::Etc::SourceList": aptSources, "Dir::Etc::SourceParts": "-" }),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  await run("apt-get", [...flags, "update"]).catch((cause: unknown) => {
    throw imageErrors.IMAGE_PACKAGES_UNAVAILABLE({ wanted: `Debian's lists of packages for ${arch}`, cause });
  });
  const kept = undo.move();
  return {
    async list(names) {
      // The candidate comes first, then all versions that there are.
      const [best, all] = await Promise.all(
        ["--no-all-versions", "--all-versions"].map((which) =>
          // It fails when it doesn't know one of the names, and has told of the others by then.
          run("apt-cache", [...flags, "show", which, ...names]).catch(
            (error: { stdout?: string }) => error.stdout ?? "",
          ),
        ),
      );
      return parseStanzas(`${best}\n${all}`);
    },
    async download(packages) {
      const missing = [];
      for (const one of packages) if (!(await exists(debPath(one)))) missing.push(one);
      // Another build may have fetched all of them since, and apt refuses to download nothing.
      if (missing.length === 0) return;
      const debs = join(folder, "debs");
      const specs = missing.map(({ name, version }) => `${name}=${version}`);
      await run("apt-get", [...flags, "download", ...specs], { cwd: debs }).catch((cause: unknown) => {
        throw imageErrors.IMAGE_PACKAGES_UNAVAILABLE({
          wanted: `Debian's packages ${specs.join(", ")} for ${arch}`,
          cause,
        });
      });
      const files = await readDigests(debs);
      for (const one of missing) await keep(one, files.get(one.sha256));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function choose(wanted: LockedDebianPackage, offers: readonly LockedDebianPackage[], allowNewer: boolean) {
  const ofName = offers.filter(({ name }) => name === wanted.name);
  const same = ofName.filter(({ version }) => version === wanted.version);
  if (same.length > 0 && !same.some(({ sha256 }) => sha256 === wanted.sha256)) {
    throw imageErrors.IMAGE_PACKAGE_CORRUPT({ wanted: `${wanted.name} ${wanted.version}` });
  }
  if (same.length > 0) return wanted;
  return allowNewer ? ofName[0] : undefined;
}

function newestOf(name: string, offers: readonly LockedDebianPackage[]): { newest?: string } {
  const newest = offers.find((offer) => offer.name === name)?.version;
  return newest === undefined ? {} : { newest };
}

function parseStanzas(text: string): LockedDebianPackage[] {
  return text.split(/\n\n+/).flatMap((stanza) => {
    const field = (name: string) => new RegExp(`^${name}: (.+)$`, "m").exec(stanza)?.[1];
    const [name, version, sha256] = [field("Package"), field("Version"), field("SHA256")];
    return name && version && sha256 ? [{ name, version, sha256 }] : [];
  });
}

async function readDigests(folder: string): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    const content = await readFile(path);
    digests.set(createHash("sha256").update(content).digest("hex"), path);
  }
  return digests;
}

async function keep(one: LockedDebianPackage, file: string | undefined): Promise<void> {
  if (file === undefined) throw imageErrors.IMAGE_PACKAGE_CORRUPT({ wanted: `${one.name} ${one.version}` });
  const path = debPath(one);
  await mkdir(join(path, ".."), { recursive: true });
  // The cache may be on another file system.
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  await writeFile(draft, await readFile(file));
  await rename(draft, path);
}

function debPath({ name, sha256 }: LockedDebianPackage): string {
  return cachePath("debian", `${name}-${sha256}.deb`);
}
