// What a CRD says of how its objects are shown: `additionalPrinterColumns`, as the API server applies them.
import type { Cell } from "@fairlead/contract";
import { Fields } from "@fairlead/kube";
import { createPrinter, name } from "./columns.ts";
import { findAll, type JsonPath, parseJsonPath } from "./json-path.ts";
import type { Column, Printer } from "./types.ts";

/** Undefined when there are none. */
export function createCustomPrinter(printerColumns: unknown): Printer | undefined {
  const columns = new Fields(printerColumns).list().flatMap(toColumn);
  return columns.length === 0 ? undefined : createPrinter(name, ...columns);
}

function toColumn(definition: Fields): Column[] {
  const title = definition.at("name").text();
  const path = parseJsonPath(definition.at("jsonPath").text() ?? "");
  if (title === undefined || path === undefined) return [];
  const type = definition.at("type").text() ?? "string";
  const format = definition.at("format").text();
  const description = definition.at("description").text();
  return [
    {
      name: title,
      type,
      ...(format !== undefined && { format }),
      ...(description !== undefined && { description }),
      priority: definition.at("priority").number() ?? 0,
      read: (object) => readCell(path, type, object),
    },
  ];
}

function readCell(path: JsonPath, type: string, object: Fields): Cell {
  const [first, ...more] = findAll(path, object);
  if (!first?.exists) return null;
  switch (type) {
    case "integer":
    case "number":
      return first.number() ?? null;
    case "boolean":
      return first.boolean() ?? null;
    case "date":
      return first.text() ?? null;
    default:
      return [first, ...more].map((fields) => fields.scalar() ?? fields.json()).join(" ");
  }
}
