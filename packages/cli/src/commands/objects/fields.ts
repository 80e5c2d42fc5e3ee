// Objects come from clusters: any field may be missing, or be something else than expected.
import { isRecord } from "@fairlead/kernel";

export function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Empty for what isn't there. */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
