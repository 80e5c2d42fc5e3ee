import { executeErrors } from "../errors.ts";
import type { Manifest, WantedObject } from "./types.ts";
import { readDocuments, YamlProblem } from "./yaml/index.ts";

/** The objects of a text, lists unrolled. Throws COMMAND_SPEC_INVALID with the document, the line and what to mend. */
export function readManifests(text: string): readonly Manifest[] {
  try {
    return readDocuments(text).flatMap(({ number, value }) =>
      value === undefined ? [] : unroll({ value, where: `document ${number}`, depth: 0 }),
    );
  } catch (error) {
    if (error instanceof YamlProblem) throw executeErrors.COMMAND_SPEC_INVALID({ detail: error.message });
    throw error;
  }
}

interface Found {
  readonly value: unknown;
  readonly where: string;
  readonly depth: number;
}

function unroll({ value, where, depth }: Found): Manifest[] {
  const object = asRecord(value);
  if (!object) throw refuse(where, "it isn't an object; it needs apiVersion, kind and metadata.name");
  const { kind, items } = object;
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [check(object, where)];
  if (depth === maxListDepth) throw refuse(where, "lists are nested too deeply");
  return items.flatMap((item, index) =>
    unroll({ value: withType(item, object), where: `${where}, item ${index + 1}`, depth: depth + 1 }),
  );
}

/** Gives an item the kind of its list, because `kubectl get -o json` of one kind says the kind only there. */
function withType(item: unknown, list: Readonly<Record<string, unknown>>): unknown {
  const record = asRecord(item);
  if (!record || list["kind"] === "List") return item;
  return { apiVersion: list["apiVersion"], kind: String(list["kind"]).slice(0, -"List".length), ...record };
}

function check(object: Readonly<Record<string, unknown>>, where: string): Manifest {
  const { apiVersion, kind } = object;
  if (!isText(apiVersion) || apiVersion.split("/").length > 2)
    throw refuse(where, "apiVersion is missing or isn't a version");
  if (!isText(kind)) throw refuse(where, "kind is missing or isn't text");
  const metadata = asRecord(object["metadata"]);
  if (!metadata) throw refuse(where, "metadata is missing");
  const { name, namespace, annotations } = metadata;
  if (metadata["generateName"] !== undefined && name === undefined)
    throw refuse(where, "it has generateName, and an object without a name can't be applied twice. Give it a name");
  if (!isText(name)) throw refuse(where, "metadata.name is missing, empty or isn't text; numbers and yes need quotes");
  if (!isPathSegment(name)) throw refuse(where, "metadata.name contains / or %, or consists of dots");
  if (namespace !== undefined && (!isText(namespace) || !isPathSegment(namespace)))
    throw refuse(where, "metadata.namespace is empty or isn't a valid name");
  for (const field of ["annotations", "labels"]) {
    const texts = metadata[field];
    if (texts === undefined || texts === null) continue;
    const wrong = Object.entries(asRecord(texts) ?? { "": 0 }).find(([, text]) => typeof text !== "string");
    if (wrong)
      throw refuse(
        where,
        `metadata.${field} contains a value that isn't text (${wrong[0] || "all of it"}); use quotes`,
      );
  }
  const wave = readWave(asRecord(annotations) ?? {});
  if (wave === undefined) throw refuse(where, "the annotation fairlead.dev/wave isn't a whole number in quotes");
  return { object: { ...object, metadata: withoutServerFields(metadata) } as WantedObject, where, wave };
}

/** As a number, 0 unless given; undefined for what is none. */
function readWave(annotations: Readonly<Record<string, unknown>>): number | undefined {
  const text = annotations["fairlead.dev/wave"];
  if (text === undefined) return 0;
  return typeof text === "string" && /^-?\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/**
 * Removes the fields that `kubectl get -o yaml` and code generators leave there. An API server would refuse them, or
 * take them for a change.
 */
function withoutServerFields(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { managedFields: _managed, creationTimestamp: _created, generateName: _generated, ...rest } = metadata;
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
}

function refuse(where: string, what: string): Error {
  return executeErrors.COMMAND_SPEC_INVALID({ detail: `${where}: ${what}` });
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Names are parts of paths; what an API server allows as such. */
function isPathSegment(name: string): boolean {
  return name !== "." && name !== ".." && !/[/%]/.test(name) && name.length <= 253;
}

const maxListDepth = 3;
