import { toVersion } from "../inventory.ts";
import type { ReplicaContent } from "../replica/index.ts";

/** An entry of what a flow carries of an object. `name` is the object's namespace and name. */
export function toContent(
  metadata: { readonly namespace: string; readonly name: string },
  part: unknown,
): ReplicaContent {
  const contentJson = Buffer.from(toSortedJson(part));
  return { version: toVersion(contentJson), name: `${metadata.namespace}/${metadata.name}`, contentJson };
}

/** The same for equal parts, whatever the order of their members. */
export function hashOf(part: unknown): bigint {
  return toVersion(Buffer.from(toSortedJson(part)));
}

/** Peers are trusted with the shape of what they send; the API server checks the rest. */
export function parseContent<Part>({ contentJson }: Pick<ReplicaContent, "contentJson">): Part {
  return JSON.parse(Buffer.from(contentJson).toString()) as Part;
}

function toSortedJson(part: unknown): string {
  return JSON.stringify(part, (_name, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
