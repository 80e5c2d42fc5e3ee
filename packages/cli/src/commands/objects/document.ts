// Objects as documents: what `-o json`, `-o yaml`, `-o name` and `-o jsonpath` print.

import type { ObjectItem, ObjectList } from "@fairlead/contract";
import { printable } from "@fairlead/kernel";
import { evaluateTemplate } from "@fairlead/kernel/json-path";
import { type DocumentFormat, loadYaml } from "../../formats/index.ts";
import { typeName } from "./table-row.ts";

export async function renderDocument(
  list: ObjectList,
  format: DocumentFormat,
  options: { readonly isOfOneCluster: boolean; readonly isNamed: boolean },
): Promise<string> {
  const { isOfOneCluster, isNamed } = options;
  if (format.type === "name") return list.items.map((item) => `${fullName(item, isOfOneCluster)}\n`).join("");
  const objects = list.items.map((item) => toDocument(item, isOfOneCluster));
  const [only] = objects;
  const document = isNamed && objects.length === 1 ? only : toList(objects, list);
  switch (format.type) {
    case "json":
      return `${JSON.stringify(document, null, 2)}\n`;
    case "yaml":
      return (await loadYaml())(document);
    case "jsonpath":
      return evaluateTemplate(format.template, document);
    default:
      return format satisfies never;
  }
}

/** The object as its cluster has it; unless there is one cluster only, `cluster` says which. */
export function toDocument(item: ObjectItem, isOfOneCluster: boolean): Record<string, unknown> {
  const { apiVersion, kindName, object = {} } = item;
  const whole = { apiVersion, kind: kindName, ...object };
  return isOfOneCluster ? whole : { ...whole, cluster: item.cluster };
}

/** `pod/web-0`, or `east/pod/web-0`. */
export function fullName(item: ObjectItem, isOfOneCluster: boolean): string {
  const name = printable(`${typeName(item)}/${item.name}`);
  return isOfOneCluster ? name : `${printable(item.cluster)}/${name}`;
}

function toList(items: readonly object[], { clusters }: ObjectList): object {
  return { apiVersion: "v1", kind: "List", items, clusters };
}
