// PostgreSQL's server, with what it loads and reads, and without what only its other programs do. The newest major
// version comes with a data folder to copy; the one before is there to read folders that it made.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { LockedPostgres } from "../lock.ts";
import type { Arch } from "../platform.ts";
import { blankIcuData } from "../postgres/blank-icu-data.ts";
import { type Template, templatePassword } from "../postgres/make-template.ts";
import { partOf, readPostgresPackage } from "../postgres/package.ts";
import { postgresFolder } from "../recipes.ts";
import { type TreeEntry, textFile } from "./tree.ts";

export async function postgresTree(options: {
  readonly arch: Arch;
  /** The newest first. */
  readonly versions: readonly LockedPostgres[];
  readonly template: Template;
}): Promise<TreeEntry[]> {
  const { arch, versions, template } = options;
  const entries: TreeEntry[] = [];
  const placed = new Map<string, Placed>();
  for (const { major, packages } of versions) {
    const files = await readPostgresPackage(packages[arch]);
    for (const path of serverFiles) {
      entries.push(place(`${major}/${path}`, partOf(files, path, packages[arch]), placed));
    }
  }
  const home = `${postgresFolder}/${versions[0]?.major}`;
  return [
    ...entries,
    { kind: "folder", path: `${home}/template` },
    ...template.entries.map((entry) => ({ ...entry, path: `${home}/template/${entry.path}` })),
    // The hub looks for it here.
    textFile(`${home}/template.password`, `${templatePassword}\n`),
    textFile("usr/share/doc/postgresql/LICENSES", await readLicences()),
  ];
}

/** Lists what the tree depends on beside the packages and the template. */
export async function listPostgresInputs(): Promise<readonly string[]> {
  return [...serverFiles, templatePassword, await readLicences()];
}

function readLicences(): Promise<string> {
  return readFile(join(import.meta.dirname, "..", "postgres", "LICENSES.txt"), "utf8");
}

interface Placed {
  readonly path: string;
  readonly content: Buffer;
}

/** A library that another version brought already is a link to it. */
function place(path: string, content: Buffer, placed: Map<string, Placed>): TreeEntry {
  const name = path.slice(path.indexOf("/") + 1);
  const before = placed.get(name);
  const to = `${postgresFolder}/${path}`;
  if (before?.content.equals(content)) {
    return { kind: "link", path: to, target: `${"../".repeat(path.split("/").length - 1)}${before.path}` };
  }
  placed.set(name, { path, content });
  const isIcuData = name.startsWith("lib/libicudata.");
  return {
    kind: "file",
    path: to,
    isExecutable: name.startsWith("bin/"),
    read: async () => (isIcuData ? blankIcuData(content) : content),
  };
}

/** Below the package's `native`, as in the image. */
const serverFiles = [
  "bin/postgres",
  "lib/libcrypto.so.1.1",
  "lib/libicudata.so.60",
  "lib/libicui18n.so.60",
  "lib/libicuuc.so.60",
  "lib/liblzma.so.5",
  "lib/libssl.so.1.1",
  "lib/libxml2.so.2",
  "lib/libz.so.1",
  // The hub's triggers are written in it.
  "lib/postgresql/plpgsql.so",
  "share/postgresql/extension/plpgsql--1.0.sql",
  "share/postgresql/extension/plpgsql.control",
  // The hub sets its server to UTC. Other zones are known to Node.
  "share/postgresql/timezone/GMT",
  "share/postgresql/timezone/UTC",
  "share/postgresql/timezone/Etc/UTC",
  "share/postgresql/timezonesets/Default",
] as const;
