import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSources, resolveImport, root, type SourceFile } from "./sources.ts";

/** Which package may import which: the law of the house. What is not listed is forbidden. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  protocol: ["kernel"],
  contract: ["kernel"],
  kube: ["kernel"],
  hub: ["kernel", "protocol", "contract", "kube"],
  agent: ["kernel", "protocol", "kube"],
  cli: ["kernel", "contract"],
  testkit: ["kernel"],
};
const lineLimit = 400;

const sources = readSources();
const shipped = sources.filter((file) => file.packageName !== undefined && !file.isTest);

test("the rules below looked at the whole house", () => {
  for (const name of Object.keys(allowedImports)) {
    expect(shipped.filter((file) => file.packageName === name).length, name).toBeGreaterThan(0);
  }
  expect(shipped.flatMap((file) => file.imports).length).toBeGreaterThan(100);
  expect(readdirSync(join(root, "packages")).sort()).toEqual(Object.keys(allowedImports).sort());
});

test("a package imports only the packages that it may", () => {
  const forbidden = shipped.flatMap((file) =>
    file.imports
      .map((specifier) => ({ specifier, target: packageOf(file, specifier) }))
      .filter(({ target }) => target !== undefined && target !== file.packageName)
      .filter(({ target }) => !allowedImports[file.packageName ?? ""]?.includes(target ?? ""))
      .map(({ specifier }) => `${file.path} imports ${specifier}`),
  );
  expect(forbidden).toEqual([]);
});

test("a package is entered by its door, never by a path into its folder", () => {
  const trespassers = sources.flatMap((file) =>
    file.imports
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => resolveImport(file, specifier))
      .filter((target) => target.startsWith("packages/") && target.split("/")[1] !== file.packageName)
      // Attacks are played against a hub in the test's own process, which no package offers to others.
      .filter(() => !file.path.startsWith("test/hardening/"))
      .map((target) => `${file.path} reaches into ${target}`),
  );
  expect(trespassers).toEqual([]);
});

test("a room is entered by its index.ts", () => {
  const trespassers = shipped.flatMap((file) =>
    file.imports
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => resolveImport(file, specifier))
      .filter((target) => entersRoomPastItsDoor(file, target))
      .map((target) => `${file.path} goes past the door of ${target}`),
  );
  expect(trespassers).toEqual([]);
});

test(`no file is longer than ${lineLimit} lines`, () => {
  expect(sources.filter((file) => file.lineCount > lineLimit).map((file) => `${file.path}: ${file.lineCount}`)).toEqual(
    [],
  );
});

test("the environment is read in config/ alone", () => {
  const readers = shipped.filter((file) => file.readsEnvironment && file.packageName !== "testkit");
  expect(readers.filter((file) => file.room !== "config").map((file) => file.path)).toEqual([]);
});

test("X.509 documents are written in one room", () => {
  const writers = shipped.filter((file) => file.imports.includes("@peculiar/x509") && file.packageName !== "testkit");
  expect(new Set(writers.map((file) => `${file.packageName}/${file.room}`))).toEqual(new Set(["protocol/x509"]));
});

test("every error has a code that a reader can find, and every code is documented", () => {
  // Three files translate errors that came over the wire: their codes are the hub's, or stand in a table of the file.
  const rebuilders = [
    "packages/contract/src/hub-error.ts",
    "packages/agent/src/dial/problem.ts",
    "packages/kube/src/status.ts",
  ];
  const unreadable = shipped.filter((file) => file.unreadableErrors > 0);
  expect(unreadable.filter((file) => !rebuilders.includes(file.path)).map((file) => file.path)).toEqual([]);
  const tools = sources.filter((file) => file.path.startsWith("deploy/") && !file.isTest);
  const used = [...new Set([...shipped, ...tools].flatMap((file) => file.errorCodes))].sort();
  const documented = [...readDoc("docs/errors.md").matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)]
    .map((match) => match[1])
    .sort();
  expect(used.length).toBeGreaterThan(20);
  expect(documented).toEqual(used);
});

test("the map of the house names every folder", () => {
  const map = readDoc("docs/ARCHITECTURE.md");
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map((entry) => entry.name);
  const rooms = ["hub", "agent"].flatMap((name) => roomsOf(name).map((room) => `${room}/`));
  for (const name of [...folders, ...Object.keys(allowedImports).map((name) => `packages/${name}`), ...rooms]) {
    expect(map, `docs/ARCHITECTURE.md does not name ${name}`).toContain(name);
  }
});

test("the lock file names the binaries of all platforms, so that `npm ci` takes it", () => {
  const check = [join(root, "scripts", "complete-lock.ts"), "--check"];
  const { status, stderr } = spawnSync(process.execPath, check, { encoding: "utf8" });
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("dependencies are pinned exactly and none may run a script at install", () => {
  const manifests = [
    "package.json",
    ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/package.json`),
  ];
  for (const path of manifests) {
    const manifest = JSON.parse(readDoc(path)) as Record<string, Record<string, string> | undefined>;
    for (const group of ["dependencies", "devDependencies", "optionalDependencies"]) {
      for (const [name, version] of Object.entries(manifest[group] ?? {})) {
        expect(version, `${path}: ${name}`).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      }
    }
  }
  expect(JSON.parse(readDoc("package.json")).allowScripts).toEqual({});
  expect(readDoc("package-lock.json"), "the lock file names a registry's host").not.toContain('"resolved": "http');
  const { packages } = JSON.parse(readDoc("package-lock.json")) as {
    packages: Record<string, { version?: string; link?: true }>;
  };
  const unversioned = Object.entries(packages).filter(
    ([path, { version, link }]) => path.startsWith("node_modules/") && !version && !link,
  );
  expect(
    unversioned.map(([path]) => path),
    "an entry of the lock file without a version pins nothing",
  ).toEqual([]);
});

function packageOf(file: SourceFile, specifier: string): string | undefined {
  if (specifier === "fairlead") return "cli";
  if (specifier.startsWith("@fairlead/")) return specifier.split("/")[1];
  if (!specifier.startsWith(".")) return undefined;
  return /^packages\/([^/]+)\//.exec(resolveImport(file, specifier))?.[1];
}

function entersRoomPastItsDoor(file: SourceFile, target: string): boolean {
  const [, packageName, room] = /^packages\/([^/]+)\/src\/([^/]+)\//.exec(target) ?? [];
  if (packageName !== file.packageName || room === undefined || room === file.room || room === "gen") return false;
  return !target.endsWith("/index.ts");
}

function roomsOf(packageName: string): string[] {
  const folder = join(root, "packages", packageName, "src");
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name);
}

function readDoc(path: string): string {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
}
