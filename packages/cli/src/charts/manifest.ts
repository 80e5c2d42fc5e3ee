import type { ClusterObject } from "@fairlead/doctor";
import { parseAllDocuments } from "yaml";

/** Objects of what helm printed or has kept, those of lists one by one. */
export function readManifest(text: string): readonly ClusterObject[] {
  return parseAllDocuments(text).flatMap((document) => flatten(document.toJS()));
}

function flatten(value: unknown): readonly ClusterObject[] {
  if (typeof value !== "object" || value === null || !("kind" in value)) return [];
  if ("items" in value && Array.isArray(value.items)) return value.items.flatMap(flatten);
  return "metadata" in value ? [value as ClusterObject] : [];
}
