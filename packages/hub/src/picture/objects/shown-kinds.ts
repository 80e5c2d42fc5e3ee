// How kinds are shown: one way for all clusters to which a kind looks the same, however many they are.
import { createHash } from "node:crypto";
import type { KindInfo } from "../inventory/index.ts";
import { readPrinterColumns } from "../tables/index.ts";
import { type ShownKind, toShownKind } from "./show.ts";

export type ShowKind = (info: KindInfo) => ShownKind;

export function createShownKinds(): ShowKind {
  const known = new Map<string, ShownKind>();
  return (info) => {
    const { kind, group, version, kindName, namespaced, printerColumns } = info;
    const key = JSON.stringify([kind, group, version, kindName, namespaced, markOf(printerColumns)]);
    const found = known.get(key);
    if (found) return found;
    // Versions of CRDs come and go.
    if (known.size >= maxKinds) known.clear();
    const shown = toShownKind(info);
    known.set(key, shown);
    return shown;
  };
}

/** The inventory keeps the same columns for as long as they don't change. */
const marks = new WeakMap<object, string>();

function markOf(printerColumns: unknown): string {
  if (typeof printerColumns !== "object" || printerColumns === null) return "";
  const known = marks.get(printerColumns);
  if (known !== undefined) return known;
  const columns = JSON.stringify(readPrinterColumns(printerColumns) ?? []);
  const mark = createHash("sha256").update(columns).digest("base64url");
  marks.set(printerColumns, mark);
  return mark;
}

const maxKinds = 1_000;
