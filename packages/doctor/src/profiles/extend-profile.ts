import { isRecord } from "@fairlead/kernel";
import type { Profile } from "./profile.ts";

/**
 * A file's fields on top of those of a built-in profile. Sections are merged field by field, and so are pools; lists and
 * labels are replaced whole. Nothing is judged yet: a section of another type stays as it was written.
 */
export function extendProfile(base: Profile | undefined, own: Readonly<Record<string, unknown>>): unknown {
  if (!base) return own;
  const { name: _, ...sections } = base;
  return merge(sections, own, 2);
}

/** Sections lie one level down and pools two; only these have more than one field that could be kept. */
function merge(base: unknown, own: unknown, depth: number): unknown {
  if (!isRecord(base) || !isRecord(own)) return own;
  const merged = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(own)) {
    const isDeeper = depth > 0 && !wholeMaps.has(name);
    merged.set(name, isDeeper ? merge(merged.get(name), value, depth - 1) : value);
  }
  return Object.fromEntries(merged);
}

const wholeMaps: ReadonlySet<string> = new Set(["labels", "monitorLabels"]);
