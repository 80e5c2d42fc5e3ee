import type { Fields } from "@fairlead/kernel";

/** Labels, selectors and the like: the members that are texts, and no others. */
export function readTextMap(fields: Fields): Readonly<Record<string, string>> {
  return Object.fromEntries(
    fields.entries().flatMap(([key, value]) => (typeof value.raw === "string" ? [[key, value.raw]] : [])),
  );
}

/** Every entry of the selector is among the labels. */
export function matchesLabels(
  labels: Readonly<Record<string, string>>,
  selector: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(selector).every(([key, value]) => labels[key] === value);
}
