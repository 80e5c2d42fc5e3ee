// A program needs these npm packages to run. package-lock.json has the place of each in node_modules, and its version.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../cache.ts";
import { compare } from "../contents/tree.ts";
import { imageErrors } from "../errors.ts";
import { type Arch, nodeArch } from "../platform.ts";

export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  /** The path from the root of the repository: node_modules/… or, for a package of ours, packages/…. */
  readonly location: string;
  readonly isOurs: boolean;
  /** None for ours. */
  readonly integrity: string | undefined;
  readonly license: string | undefined;
}

interface LockEntry {
  readonly name?: string;
  readonly version?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly integrity?: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>;
  readonly os?: readonly string[] | string;
  readonly cpu?: readonly string[] | string;
  readonly libc?: readonly string[] | string;
}

type Entries = Readonly<Record<string, LockEntry>>;

/**
 * The workspace itself and everything below it, without what only development needs, and without the optional packages
 * whose names begin with `leftOut`.
 */
export async function listLockedPackages(
  workspace: string,
  options: { readonly arch: Arch; readonly leftOut?: string | undefined },
): Promise<LockedPackage[]> {
  const { arch, leftOut } = options;
  const lock = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8")) as { packages: Entries };
  const entries = lock.packages;
  const found = new Map<string, LockEntry>();
  const open = [workspace];
  for (let location = open.pop(); location !== undefined; location = open.pop()) {
    const entry = entries[location];
    if (entry === undefined || found.has(location) || !runsOn(entry, arch)) continue;
    found.set(location, entry);
    for (const { name, isOptional } of neededBy(entry)) {
      if (isOptional && leftOut !== undefined && name.startsWith(leftOut)) continue;
      const next = resolve(entries, location, name);
      if (next !== undefined) open.push(next);
      else if (!isOptional) throw imageErrors.IMAGE_NOT_BUILT({ path: `package-lock.json's entry for ${name}` });
    }
  }
  return [...found].map(toPackage).sort((a, b) => compare(a.location, b.location));
}

function neededBy(entry: LockEntry): { name: string; isOptional: boolean }[] {
  const { dependencies = {}, optionalDependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = entry;
  const peers = Object.keys(peerDependencies);
  return [
    ...Object.keys(dependencies).map((name) => ({ name, isOptional: false })),
    ...Object.keys(optionalDependencies).map((name) => ({ name, isOptional: true })),
    ...peers.filter((name) => !peerDependenciesMeta[name]?.optional).map((name) => ({ name, isOptional: false })),
  ];
}

/** Looks as Node does: in the package's own node_modules, then in those of the folders above. */
function resolve(entries: Entries, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.replace(/(^|\/)[^/]*$/, "")) {
    const location = [...(folder === "" ? [] : [folder]), "node_modules", name].join("/");
    const entry = folder.endsWith("node_modules") ? undefined : entries[location];
    if (entry !== undefined) return entry.link ? entry.resolved : location;
    if (folder === "") return undefined;
  }
}

/** Optional packages may be for one machine each. Images hold glibc. */
function runsOn({ os, cpu, libc }: LockEntry, arch: Arch): boolean {
  const fits = (wanted: readonly string[] | string | undefined, value: string) => {
    const list = wanted === undefined ? [] : [wanted].flat();
    return list.every((one) => one.startsWith("!")) ? !list.includes(`!${value}`) : list.includes(value);
  };
  return fits(os, "linux") && fits(cpu, nodeArch[arch]) && fits(libc, "glibc");
}

function toPackage([location, entry]: [string, LockEntry]): LockedPackage {
  const isOurs = !location.includes("node_modules/");
  return {
    name: entry.name ?? location.replace(/^.*node_modules\//, ""),
    version: entry.version ?? "",
    location,
    isOurs,
    integrity: entry.integrity,
    license: entry.license,
  };
}
