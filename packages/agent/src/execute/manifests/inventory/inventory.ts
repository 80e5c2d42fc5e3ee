import type { ObjectName } from "../types.ts";

/** The set's entry for one object of the cluster. */
export interface InventoryEntry extends ObjectName {
  /** Unknown while a run that means to make it is under way. */
  readonly uid?: string | undefined;
}

/** Writes a short line for each: a ConfigMap holds 1 MiB. */
export function encodeInventory(entries: readonly InventoryEntry[]): string {
  const rows = entries.map(({ apiVersion, kind, namespace, name, uid }) =>
    JSON.stringify([apiVersion, kind, namespace ?? "", name, uid ?? ""]),
  );
  return rows.length === 0 ? "[]\n" : `[\n${rows.join(",\n")}\n]\n`;
}

/** Undefined for what isn't one: nothing is deleted on a guess. */
export function decodeInventory(text: unknown): readonly InventoryEntry[] | undefined {
  if (typeof text !== "string") return undefined;
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(rows)) return undefined;
  const entries = rows.map(decodeRow);
  return entries.every((entry) => entry !== undefined) ? entries : undefined;
}

function decodeRow(row: unknown): InventoryEntry | undefined {
  if (!Array.isArray(row) || row.length !== 5 || !row.every((text) => typeof text === "string")) return undefined;
  const [apiVersion, kind, namespace, name, uid] = row as [string, string, string, string, string];
  if (apiVersion === "" || kind === "" || name === "") return undefined;
  return { apiVersion, kind, name, ...(namespace !== "" && { namespace }), ...(uid !== "" && { uid }) };
}
