// The lock file: from which packages images are made. The same lock file and the same sources give the same digests.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { imageErrors } from "./errors.ts";
import { type Arch, arches } from "./platform.ts";

export interface LockedDebianPackage {
  readonly name: string;
  readonly version: string;
  readonly sha256: string;
}

export interface LockedNpmPackage {
  readonly name: string;
  readonly version: string;
  /** The digest as npm writes it: sha512-BASE64. */
  readonly integrity: string;
}

export interface LockedPostgres {
  readonly major: number;
  readonly packages: Readonly<Record<Arch, LockedNpmPackage>>;
}

export interface ImageLock {
  readonly node: Readonly<Record<Arch, LockedNpmPackage>>;
  /** The newest first, whose unused data folder images carry. */
  readonly postgres: { readonly versions: readonly LockedPostgres[]; readonly templateDigest: string };
  readonly debian: Readonly<Record<Arch, readonly LockedDebianPackage[]>>;
}

const lockPath: string = join(import.meta.dirname, "lock.json");

export async function readLock(path: string = lockPath): Promise<ImageLock> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) throw imageErrors.IMAGE_LOCK_INVALID({ reason: "there is none" });
  const lock = parse(text) as Partial<ImageLock> | null;
  for (const arch of arches) {
    if (!isNpmPackage(lock?.node?.[arch]))
      throw imageErrors.IMAGE_LOCK_INVALID({ reason: `it names no Node for ${arch}` });
    const packages: readonly unknown[] = lock.debian?.[arch] ?? [];
    if (packages.length === 0 || !packages.every(isDebianPackage))
      throw imageErrors.IMAGE_LOCK_INVALID({ reason: `its packages for ${arch} are bad` });
    const versions: readonly Partial<LockedPostgres>[] = lock?.postgres?.versions ?? [];
    if (versions.length === 0 || !versions.every((one) => isNpmPackage(one?.packages?.[arch])))
      throw imageErrors.IMAGE_LOCK_INVALID({ reason: `it names no PostgreSQL for ${arch}` });
  }
  if (!/^sha256:[0-9a-f]{64}$/.test(lock?.postgres?.templateDigest ?? ""))
    throw imageErrors.IMAGE_LOCK_INVALID({ reason: "it has no digest of PostgreSQL's template" });
  return lock as ImageLock;
}

export async function writeLock(lock: ImageLock, path: string = lockPath): Promise<void> {
  await writeFile(path, `${JSON.stringify(lock, undefined, 2)}\n`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw imageErrors.IMAGE_LOCK_INVALID({ reason: "it isn't JSON" });
  }
}

function isNpmPackage(value: unknown): value is LockedNpmPackage {
  const { name, version, integrity } = (value ?? {}) as Record<string, unknown>;
  return (
    isNpmName(name) && isVersion(version) && typeof integrity === "string" && /^sha512-[\w+/]{86}==$/.test(integrity)
  );
}

function isDebianPackage(value: unknown): value is LockedDebianPackage {
  const { name, version, sha256 } = (value ?? {}) as Record<string, unknown>;
  return isName(name) && isVersion(version) && typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256);
}

function isName(value: unknown): boolean {
  return typeof value === "string" && /^[a-z0-9][a-z0-9+.-]*$/.test(value);
}

function isNpmName(value: unknown): boolean {
  return typeof value === "string" && isName(value.replace(/^@[a-z0-9-]+\//, ""));
}

function isVersion(value: unknown): boolean {
  return typeof value === "string" && /^[0-9][A-Za-z0-9.+:~-]*$/.test(value);
}
