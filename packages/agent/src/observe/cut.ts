// An object larger than the cap is cut: its largest parts are left out, one after the other, until the rest fits. A
// part is a member of the object's members (`spec.template`, `status.nodes`, one annotation), or a member that has
// none. The members that tell the object apart (name, namespace, uid, versions, times) always stay. The annotation says
// what is missing.
import { isRecord, parseExactJson } from "@fairlead/kernel";
import type { KubeObject } from "@fairlead/kube";
import { cutAnnotation } from "@fairlead/protocol";

/** JSON in UTF-8 of at most `maxBytes`. */
export function encodeWithin(object: KubeObject, maxBytes: number): Uint8Array {
  const whole = Buffer.from(JSON.stringify(object));
  if (whole.length <= maxBytes) return whole;
  const rest = parseExactJson(whole.toString("utf8")) as Members;
  const missing: string[] = [];
  let sizeBytes = whole.length + markBytes;
  for (const part of partsOf(rest)) {
    if (sizeBytes <= maxBytes) break;
    delete part.holder[part.name];
    missing.push(part.path);
    sizeBytes -= part.sizeBytes;
  }
  return encodeMarked(rest, missing);
}

interface Part {
  readonly holder: Members;
  readonly name: string;
  readonly path: string;
  readonly sizeBytes: number;
}

type Members = Record<string, unknown>;

/** Largest first; of two that are as large the first by name. */
function partsOf(object: Members): Part[] {
  const parts = Object.keys(object).flatMap((name) => {
    if (name === "apiVersion" || name === "kind") return [];
    if (name === "metadata") return partsOfMetadata(object[name] as Members);
    const value = object[name];
    return isRecord(value) ? partsWithin(value, name) : [toPart(object, name, name)];
  });
  return parts.sort((a, b) => b.sizeBytes - a.sizeBytes || (a.path < b.path ? -1 : 1));
}

function partsOfMetadata(metadata: Members): Part[] {
  return Object.keys(metadata).flatMap((name) => {
    if (alwaysKept.has(name)) return [];
    const value = metadata[name];
    const path = `metadata.${name}`;
    return isRecord(value) ? partsWithin(value, path) : [toPart(metadata, name, path)];
  });
}

function partsWithin(holder: Members, path: string): Part[] {
  return Object.keys(holder).map((name) => toPart(holder, name, `${path}.${name}`));
}

function toPart(holder: Members, name: string, path: string): Part {
  // Quotes, colon and comma come with the name.
  const sizeBytes = Buffer.byteLength(JSON.stringify(holder[name])) + Buffer.byteLength(JSON.stringify(name)) + 2;
  return { holder, name, path, sizeBytes };
}

function encodeMarked(object: Members, missing: readonly string[]): Uint8Array {
  const metadata = object["metadata"] as Members;
  const annotations = { ...(metadata["annotations"] as Members | undefined), [cutAnnotation]: sayMissing(missing) };
  return Buffer.from(JSON.stringify({ ...object, metadata: { ...metadata, annotations } }));
}

function sayMissing(missing: readonly string[]): string {
  const named = missing.slice(0, maxNamed).map((path) => path.slice(0, maxPathLength));
  return missing.length > maxNamed ? `${named.join(",")},and ${missing.length - maxNamed} more` : named.join(",");
}

const alwaysKept = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
]);
const maxNamed = 10;
const maxPathLength = 80;
/** Room for the annotation itself. */
const markBytes = 2 * 1024;
