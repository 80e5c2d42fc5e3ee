// Rows as the API shows them.
import type { Cell, Health, KindTable, ObjectChange, ObjectItem, ObjectRef } from "@fairlead/contract";
import { Fields } from "@fairlead/kube";
import type { KindInfo } from "../inventory/index.ts";
import { findPrinter, type Printer } from "../tables/index.ts";
import type { FoundObject } from "./store.ts";

/** A kind with the way it is shown. */
export interface ShownKind {
  readonly info: KindInfo;
  readonly printer: Printer;
}

export function toShownKind(info: KindInfo): ShownKind {
  return { info, printer: findPrinter(info.kind, info.printerColumns) };
}

export function toKindTable({ info, printer }: ShownKind): KindTable {
  const { kind, kindName, namespaced } = info;
  return { kind, apiVersion: apiVersionOf(info), kindName, namespaced, columns: [...printer.columns] };
}

/** The same for kinds that look the same. */
export function describeTable(kind: ShownKind): string {
  const known = tableTexts.get(kind);
  if (known !== undefined) return known;
  const text = JSON.stringify(toKindTable(kind));
  tableTexts.set(kind, text);
  return text;
}

const tableTexts = new WeakMap<ShownKind, string>();

export function toObjectRef(row: FoundObject, info: KindInfo | undefined): ObjectRef {
  const body = new Fields(row.body);
  return {
    cluster: row.cluster,
    kind: row.kind,
    apiVersion: body.at("apiVersion").text() ?? (info ? apiVersionOf(info) : ""),
    kindName: body.at("kind").text() ?? info?.kindName ?? "",
    ...(row.namespace !== "" && { namespace: row.namespace }),
    name: row.name,
    uid: row.uid,
    ...(row.health !== null && { health: row.health as Health }),
  };
}

export function toObjectItem(
  row: FoundObject,
  kind: ShownKind,
  options: { readonly nowMs: number; readonly withObject: boolean },
): ObjectItem {
  return {
    ...toObjectRef(row, kind.info),
    labels: { ...row.labels },
    createdAt: row.created_at.toISOString(),
    changedAt: row.changed_at.toISOString(),
    ...(row.deleted_at && { deletedAt: row.deleted_at.toISOString() }),
    ...(row.health_message !== null && { healthMessage: row.health_message }),
    cells: toCells(row, kind.printer, options.nowMs),
    ...(row.is_cut && { isCut: true }),
    ...(options.withObject && { object: row.body as Record<string, unknown> }),
  };
}

export function toObjectChange(row: FoundObject, info: KindInfo | undefined): ObjectChange {
  return {
    at: row.changed_at.toISOString(),
    change: row.change as ObjectChange["change"],
    object: toObjectRef(row, info),
    specChangedAt: row.spec_changed_at.toISOString(),
    ...(row.health_message !== null && { healthMessage: row.health_message }),
  };
}

function toCells(row: FoundObject, printer: Printer, nowMs: number): Cell[] {
  return printer.cells(new Fields(row.body), nowMs);
}

export function apiVersionOf({ group, version }: KindInfo): string {
  return group === "" ? version : `${group}/${version}`;
}
