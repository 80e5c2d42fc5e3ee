import type { DataAge, ObjectFilter, ObjectItem } from "@fairlead/contract";
import { evaluateTemplate } from "@fairlead/kernel/json-path";
import { type DocumentFormat, loadYaml } from "../../formats/index.ts";
import { isOfOneCluster } from "./choice.ts";
import { fullName, toDocument } from "./document.ts";
import type { KindTables } from "./kind-tables.ts";

/** The words of Kubernetes' own watches. */
export interface Change {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly item: ObjectItem;
}

export interface ChangePrinter {
  /** Two states of an object with the same mark are printed alike. */
  mark(item: ObjectItem): string;
  /** As much of it as is needed to say that it is gone. */
  keep(item: ObjectItem): ObjectItem;
  print(changes: readonly Change[], tables: KindTables): Promise<string>;
  /** When the state of a cluster has changed. */
  printAges(clusters: readonly DataAge[]): string;
}

/** Prints a document for each change. */
export function createDocumentPrinter(options: {
  readonly filter: ObjectFilter;
  readonly format: DocumentFormat;
}): ChangePrinter {
  const { filter, format } = options;
  const isOne = isOfOneCluster(filter);
  return {
    mark: ({ changedAt }) => changedAt,
    keep: ({ namespace, name, uid, labels, ...item }) => ({
      ...item,
      namespace,
      name,
      uid,
      labels,
      cells: [],
      object: { metadata: { ...(namespace !== undefined && { namespace }), name, uid, labels } },
    }),
    print: async (changes) => (await Promise.all(changes.map(printChange))).join(""),
    printAges: (clusters) => (format.type === "json" ? `${JSON.stringify({ type: "CLUSTERS", clusters })}\n` : ""),
  };

  async function printChange({ type, item }: Change): Promise<string> {
    switch (format.type) {
      case "json":
        return `${JSON.stringify({ type, cluster: item.cluster, object: toDocument(item, true) })}\n`;
      case "yaml":
        return `---\n${(await loadYaml())({ type, cluster: item.cluster, object: toDocument(item, true) })}`;
      case "name":
        return type === "DELETED" ? "" : `${fullName(item, isOne)}\n`;
      case "jsonpath":
        return type === "DELETED" ? "" : evaluateTemplate(format.template, toDocument(item, isOne));
      default:
        return format satisfies never;
    }
  }
}
