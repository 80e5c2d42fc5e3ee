// Items as JSON, made once per change however many subscribers get it.
import type { ObjectRow, ShownKind } from "../objects/index.ts";
import { toObjectItem } from "../objects/index.ts";

export type FormatItem = (row: ObjectRow, kind: ShownKind, withObject: boolean) => string;

export function createItemFormatter(now: () => number): FormatItem {
  const plain = new WeakMap<ObjectRow, string>();
  const whole = new WeakMap<ObjectRow, string>();
  return (row, kind, withObject) => {
    const known = withObject ? whole : plain;
    const text = known.get(row) ?? JSON.stringify(toObjectItem(row, kind, { nowMs: now(), withObject }));
    known.set(row, text);
    return text;
  };
}
