// A folder of objects that somebody wrote with `kubectl get`. It is other people's: bounded in all ways, and a mistake in
// it is named with its place.
import { open } from "node:fs/promises";
import { basename, extname, relative } from "node:path";
import {
  type ClusterObject,
  type ObjectRef,
  refTo,
  resourceOf,
  type Snapshot,
  snapshotOfObjects,
} from "@fairlead/doctor";
import { fileNotRead } from "../../errors.ts";
import { doctorCommandErrors } from "../errors.ts";
import { listDumpFiles } from "./list-dump-files.ts";
import { type ObjectKind, type ParsedDump, type Place, parseDump } from "./parse-dump.ts";

export interface DumpReading {
  readonly snapshot: Snapshot;
  readonly read: { readonly objects: number; readonly resources: readonly string[] };
  /** The links that were left out, relative to the folder. */
  readonly skippedLinks: readonly string[];
  placeOf(ref: ObjectRef): Place | undefined;
}

/** An object that two files have counts as the later file, in alphabetical order, has it. Secrets are left out. */
export async function readDump(options: {
  readonly folder: string;
  /** The files hold everything: what isn't in them isn't in the cluster. */
  readonly isComplete: boolean;
  readonly signal: AbortSignal;
}): Promise<DumpReading> {
  const { folder, isComplete, signal } = options;
  const { files, skippedLinks } = await listDumpFiles(folder, signal);
  const objects = new Map<string, ClusterObject>();
  const places = new Map<string, Place>();
  const resources = new Set<string>();
  const whole = new Set<string>();
  const emptyKinds: ObjectKind[] = [];
  let leftBytes = mostBytes;
  for (const path of files) {
    signal.throwIfAborted();
    const file = relative(folder, path);
    const text = await readBounded(path, leftBytes);
    leftBytes -= text.length;
    const parsed = parseDump({ file, text });
    emptyKinds.push(...parsed.emptyKinds);
    if (isWhole(file, parsed)) whole.add(nameOf(file));
    for (const { object, place } of parsed.objects) {
      if (object.kind === "Secret") continue;
      const resource = resourceOf(object);
      const key = keyOf(refTo(resource, object));
      resources.add(resource);
      objects.set(key, object);
      places.set(key, place);
      if (objects.size > mostObjects) throw tooLarge(folder, `${mostObjects} objects`);
    }
  }
  if (objects.size + emptyKinds.length === 0) throw doctorCommandErrors.CLI_DUMP_EMPTY({ folder });
  return {
    snapshot: snapshotOfObjects({ objects: [...objects.values()], isComplete, whole, emptyKinds, isDump: true }),
    read: { objects: objects.size, resources: [...resources].sort() },
    skippedLinks: skippedLinks.map((path) => relative(folder, path)),
    placeOf: (ref) => places.get(keyOf(ref)),
  };
}

/** A list that is named after its resource, as the guide has it written: `deployments.apps.json`. */
function isWhole(file: string, { isList, objects }: ParsedDump): boolean {
  if (!isList) return false;
  // Every namespace has one. Those of one namespace are what people write who look for one ConfigMap.
  return nameOf(file) !== "configmaps" || new Set(objects.map(({ object }) => object.metadata.namespace)).size > 1;
}

function nameOf(file: string): string {
  return basename(file, extname(file));
}

/** By what was opened, so that a file that grows meanwhile isn't read beyond its share. */
async function readBounded(path: string, leftBytes: number): Promise<string> {
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    const limitBytes = path.endsWith(".json") ? mostFileBytes : mostYamlBytes;
    if (size > limitBytes) throw tooLarge(path, `${limitBytes / mebibyte} MiB`);
    if (size > leftBytes) throw tooLarge("the folder", `${mostBytes / mebibyte} MiB`);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(size), 0, size, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch (thrown) {
    throw doctorCommandErrors.is(thrown) ? thrown : fileNotRead(path, thrown);
  }
}

function tooLarge(what: string, limit: string): Error {
  return doctorCommandErrors.CLI_DUMP_TOO_LARGE({ what, limit });
}

function keyOf({ resource, namespace = "", name }: ObjectRef): string {
  return `${resource}/${namespace}/${name}`;
}

const mebibyte = 1024 * 1024;
const mostBytes = 512 * mebibyte;
const mostFileBytes = 256 * mebibyte;
/** A parser of YAML that knows lines takes a second for some hundred KiB. */
const mostYamlBytes = 16 * mebibyte;
const mostObjects = 250_000;
