// Items as JSON, made once per change for all who are shown its kind in the same way.
import type { FoundObject, ShownKind } from "../objects/index.ts";
import { toObjectItem } from "../objects/index.ts";

export type FormatItem = (row: FoundObject, kind: ShownKind, withObject: boolean) => string;

export function createItemFormatter(now: () => number): FormatItem {
  const plain = new WeakMap<FoundObject, Map<ShownKind, string>>();
  const whole = new WeakMap<FoundObject, Map<ShownKind, string>>();
  return (row, kind, withObject) => {
    const texts = withObject ? whole : plain;
    const ofRow = texts.get(row) ?? new Map<ShownKind, string>();
    const text = ofRow.get(kind) ?? JSON.stringify(toObjectItem(row, kind, { nowMs: now(), withObject }));
    texts.set(row, ofRow.set(kind, text));
    return text;
  };
}
