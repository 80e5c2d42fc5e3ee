import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { locate, readSources, resolveImport, root, type SourceFile } from "./sources.ts";

/** The law of the house: each package may import these and no others. */
const allowedImports: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  protocol: ["kernel"],
  contract: ["kernel"],
  kube: ["kernel"],
  doctor: ["kernel"],
  hub: ["kernel", "protocol", "contract", "kube", "doctor"],
  agent: ["kernel", "protocol", "kube", "doctor"],
  cli: ["kernel", "contract", "doctor", "kube"],
  testkit: ["kernel"],
};
const lineLimit = 400;
/** From the lowest to the highest. */
const wingsOfHub = ["platform", "people", "reach", "picture", "work", "delivery"] as const;
const above = wingsOfHub.length;

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

test("in the hub no arrow points from a lower wing to a higher one, nor to what opens the wings", () => {
  const heights = new Map(wingsOfHub.map((wing, height) => [wing as string | undefined, height]));
  const inHub = shipped.filter((file) => file.packageName === "hub");
  expect(new Set(inHub.map(({ wing }) => wing))).toEqual(new Set([...wingsOfHub, undefined]));
  const upward = inHub
    .filter((file) => file.wing !== undefined)
    .flatMap((file) =>
      file.imports
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => resolveImport(file, specifier))
        .filter((target) => target !== "packages/hub/src/version.ts")
        .filter((target) => (heights.get(locate(target).wing) ?? above) > (heights.get(file.wing) ?? 0))
        .map((target) => `${file.path} looks up to ${target}`),
    );
  expect(upward).toEqual([]);
});

test("in the hub each exported name is declared once, so that it means one thing", () => {
  const places = new Map<string, string[]>();
  for (const { path, packageName, isTest, declares } of sources) {
    if (packageName !== "hub" || isTest) continue;
    for (const name of declares) places.set(name, [...(places.get(name) ?? []), path]);
  }
  expect(places.size).toBeGreaterThan(300);
  expect([...places].filter(([, paths]) => paths.length > 1)).toEqual([]);
});

test("test helpers are imported by tests alone", () => {
  const isBuilt = (file: SourceFile): boolean => file.packageName !== "testkit" && !file.path.includes("/testing/");
  const importers = shipped.filter((file) => isBuilt(file) && file.imports.includes("@fairlead/kernel/testing"));
  expect(importers.map((file) => file.path)).toEqual([]);
  expect(sources.filter((file) => file.imports.includes("@fairlead/kernel/testing")).length).toBeGreaterThan(10);
});

test(`no file is longer than ${lineLimit} lines`, () => {
  expect(sources.filter((file) => file.lineCount > lineLimit).map((file) => `${file.path}: ${file.lineCount}`)).toEqual(
    [],
  );
});

test("properties are written out: no literal is spread into another", () => {
  const packed = sources.flatMap((file) => file.spreadLiterals.map((line) => `${file.path}:${line}`));
  expect(packed).toEqual([]);
});

test("the environment is read in config/ alone", () => {
  const readers = shipped.filter((file) => file.readsEnvironment && file.packageName !== "testkit");
  expect(readers.filter((file) => file.room !== "config").map((file) => file.path)).toEqual([]);
});

test("X.509 documents are written in one room", () => {
  const writers = shipped.filter((file) => file.imports.includes("@peculiar/x509") && file.packageName !== "testkit");
  expect(new Set(writers.map((file) => `${file.packageName}/${file.room}`))).toEqual(new Set(["protocol/x509"]));
});

test("every error is made from a table, and every code is documented", () => {
  // The first makes errors from tables. The others repeat errors that came over the wire, with the hub's codes, or were written down.
  const rebuilders = [
    "packages/kernel/src/define-errors.ts",
    "packages/contract/src/hub-error.ts",
    "packages/hub/src/reach/hubs/announced-link.ts",
    "packages/agent/src/dial/problem.ts",
    "packages/agent/src/execute/helm/memory.ts",
  ];
  const tools = sources.filter((file) => file.path.startsWith("deploy/") && !file.isTest);
  const makers = [...shipped, ...tools].filter((file) => file.makesErrors);
  expect(makers.map((file) => file.path).sort()).toEqual(rebuilders.sort());
  const used = [...new Set([...shipped, ...tools].flatMap((file) => file.errorCodes))].sort();
  const documented = [...readDoc("docs/errors.md").matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)]
    .map((match) => match[1])
    .sort();
  expect(used.length).toBeGreaterThan(20);
  expect(documented).toEqual(used);
});

test("errors are told apart by the table that their codes are in", () => {
  const tools = sources.filter((file) => file.path.startsWith("deploy/") && !file.isTest);
  const files = [...shipped, ...tools];
  const codes = [...new Set(files.flatMap((file) => file.errorCodes))];
  const isOurs = (text: string): boolean =>
    codes.some((code) => code === text || (text.endsWith("_") && code.startsWith(text)));
  const comparisons = files.flatMap((file) =>
    file.comparedCodes.filter(isOurs).map((code) => `${file.path} compares with ${code}`),
  );
  expect(comparisons).toEqual([]);
  expect(shipped.flatMap((file) => file.comparedCodes).length).toBeGreaterThan(0);
});

test("the map of the house names every folder", () => {
  const map = readDoc("docs/ARCHITECTURE.md");
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith(".") && entry.name !== "node_modules")
    .map((entry) => entry.name);
  const rooms = ["hub", "agent", "kube"].flatMap((name) => foldersOf(name).map((folder) => `${folder}/`));
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
  const { packageName, wing, room } = locate(target);
  if (packageName !== file.packageName || room === "gen" || target.endsWith("/index.ts")) return false;
  return room === undefined ? wing !== undefined && wing !== file.wing : room !== file.room || wing !== file.wing;
}

/** Wings and rooms of the hub, rooms of the others. */
function foldersOf(packageName: string): string[] {
  const places = shipped.filter((file) => file.packageName === packageName);
  return [...new Set(places.flatMap(({ wing, room }) => [wing, room]))].filter((name) => name !== undefined);
}

function readDoc(path: string): string {
  return existsSync(join(root, path)) ? readFileSync(join(root, path), "utf8") : "";
}
