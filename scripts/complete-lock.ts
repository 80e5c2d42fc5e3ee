// Completes package-lock.json: `npm run lock`, after every change of dependencies. npm leaves out of it the binaries of
// platforms that the registry at hand doesn't carry, and then `npm ci` refuses the file on every machine. Such a binary
// is optional and of one exact version, which its parent names; what isn't known of it is the checksum of its archive.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface LockedPackage {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const path = join(import.meta.dirname, "..", "package-lock.json");
const lock = JSON.parse(readFileSync(path, "utf8")) as { packages: Record<string, LockedPackage> };
const missing = Object.entries(lock.packages).flatMap(missingOf);
if (process.argv.includes("--check")) {
  if (missing.length > 0) fail(`package-lock.json lacks ${missing.map(([at]) => at).join(", ")}. Run: npm run lock`);
} else {
  lock.packages = Object.fromEntries(
    [...Object.entries(lock.packages), ...missing].sort(([one], [other]) => one.localeCompare(other, "en")),
  );
  writeFileSync(path, `${JSON.stringify(lock, undefined, 2)}\n`);
  console.log(`Added ${missing.length} packages of other platforms to package-lock.json.`);
}

/** Lists what a locked package may bring on another platform and the file doesn't name. */
function missingOf([at, { optionalDependencies = {}, dev }]: [string, LockedPackage]): [string, LockedPackage][] {
  return (
    Object.entries(optionalDependencies)
      // A range is satisfied by whatever npm has locked; binaries are named by one version.
      .filter(([name, version]) => (/^\d/.test(version) ? find(at, name)?.version !== version : !find(at, name)))
      .map(([name, version]) => {
        const beside = `${at.slice(0, at.lastIndexOf("node_modules/"))}node_modules/${name}`;
        const place = lock.packages[beside] === undefined ? beside : `${at}/node_modules/${name}`;
        const { cpu, libc, os } = platformOf(name);
        return [place, { version, cpu, ...(dev && { dev }), ...(libc && { libc }), optional: true, os }];
      })
  );
}

/** As Node looks for it: in the folder of the one who asks, then in each around it. */
function find(from: string, name: string): LockedPackage | undefined {
  const found = lock.packages[`${from}${from && "/"}node_modules/${name}`];
  if (found !== undefined || from === "") return found;
  return find(from.slice(0, Math.max(0, from.lastIndexOf("node_modules/") - 1)), name);
}

/** `@oxlint/binding-linux-arm-musleabihf` is for Linux on arm with musl. */
function platformOf(name: string): { os: [string]; cpu: [string]; libc?: [string] } {
  const pattern =
    /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|armv7|arm|ia32|ppc64|riscv64|s390x|x64)(.*)$/;
  const [, os, cpu, rest = ""] = pattern.exec(name) ?? fail(`The name ${name} doesn't tell its platform.`);
  const libc = /musl|gnu/.exec(os === "linux" ? rest : "")?.[0];
  return {
    os: [os ?? ""],
    cpu: [cpu === "armv7" ? "arm" : (cpu ?? "")],
    ...(libc !== undefined && { libc: [libc === "gnu" ? "glibc" : "musl"] }),
  };
}

function fail(text: string): never {
  console.error(text);
  process.exit(1);
}
