import { usage } from "../../errors.ts";

/** Reads a key that the hub sorts by; kubectl's expressions for the same things are understood. */
export function parseSort(text: string): string {
  const [, sign = "", name = ""] = /^(-?)\{?(.*?)\}?$/.exec(text) ?? [];
  const sort = expressions[name] ?? name;
  if (!sorts.includes(sort))
    throw usage(
      `Objects can't be sorted by '${text}'.`,
      `Sort by one of ${sorts.join(", ")}; a leading - reverses the order.`,
    );
  // The oldest was created first.
  const isTurned = name === ".metadata.creationTimestamp" ? sign === "" : sign === "-";
  return isTurned ? `-${sort}` : sort;
}

const sorts: readonly string[] = ["name", "namespace", "cluster", "kind", "age", "changed", "health"];

const expressions: Readonly<Record<string, string>> = {
  ".metadata.name": "name",
  ".metadata.namespace": "namespace",
  ".metadata.creationTimestamp": "age",
};
