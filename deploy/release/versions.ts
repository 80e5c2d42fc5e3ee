// A release has one version. It stands in many files, since each of them is read alone by someone.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repoRoot } from "@fairlead/testkit";
import { parse } from "yaml";
import { versionsDiffer } from "./errors.ts";

export interface VersionPlace {
  readonly place: string;
  readonly version: string;
}

/** The version of this checkout, once every place that names one agrees. */
export function checkVersions(root: string = repoRoot): string {
  const places = [...manifestPlaces(root), ...lockPlaces(root), ...chartPlaces(root), ...changelogPlaces(root)];
  const version = places[0]?.version ?? "";
  const others = places.filter((place) => place.version !== version);
  if (others.length > 0) throw versionsDiffer([...places.slice(0, 1), ...others]);
  return version;
}

/** Hub, agent and command tell the version of their own manifest, so these are theirs, too. */
function manifestPlaces(root: string): VersionPlace[] {
  const paths = ["package.json", ...globSync("packages/*/package.json", { cwd: root }).sort()];
  return paths.flatMap((path) => {
    const { version, ...manifest } = readManifest(join(root, path));
    const groups = [manifest.dependencies, manifest.devDependencies];
    return [{ place: path, version }, ...groups.flatMap((group) => ownDependencies(path, group))];
  });
}

function lockPlaces(root: string): VersionPlace[] {
  const { version, packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Manifest & {
    packages: Record<string, Manifest>;
  };
  const locked = Object.entries(packages)
    .filter(([path]) => path === "" || path.startsWith("packages/"))
    .flatMap(([path, { version, dependencies, devDependencies }]) => {
      const place = `package-lock.json (${path || "root"})`;
      const groups = [dependencies, devDependencies];
      return [{ place, version }, ...groups.flatMap((group) => ownDependencies(place, group))];
    });
  return [{ place: "package-lock.json", version }, ...locked];
}

function chartPlaces(root: string): VersionPlace[] {
  return globSync("charts/*/Chart.yaml", { cwd: root })
    .sort()
    .flatMap((path) => {
      const chart = parse(readFileSync(join(root, path), "utf8")) as { version: unknown; appVersion: unknown };
      return [
        { place: `${path} (version)`, version: String(chart.version) },
        { place: `${path} (appVersion)`, version: String(chart.appVersion) },
      ];
    });
}

/** The newest section is about this version, released or not. */
function changelogPlaces(root: string): VersionPlace[] {
  const newest = /^## (\S+)/m.exec(readFileSync(join(root, "docs", "CHANGELOG.md"), "utf8"));
  return [{ place: "docs/CHANGELOG.md", version: newest?.[1] ?? "nothing" }];
}

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, "utf8")) as Manifest;
}

function ownDependencies(place: string, group: Readonly<Record<string, string>> = {}): VersionPlace[] {
  return Object.entries(group)
    .filter(([name]) => name.startsWith("@fairlead/") || name === "fairlead")
    .map(([name, version]) => ({ place: `${place} (its ${name})`, version }));
}
