// `--metric-labels-allowlist=pods=[a,b],nodes=[c]` as kube-state-metrics reads it.

/** The label keys that are exported, by resource. */
export type AllowList = ReadonlyMap<string, readonly string[]>;

/** Undefined when kube-state-metrics would refuse it. A resource that is named twice has what was named last. */
export function parseAllowList(value: string): AllowList | undefined {
  const list = new Map<string, readonly string[]>();
  const entry = /\s*([^,=[\]]+)=\[([^[\]]*)\](,|$)/y;
  while (entry.lastIndex < value.length) {
    const parts = entry.exec(value);
    if (!parts) return undefined;
    const keys = (parts[2] ?? "").split(",").map((key) => key.trim());
    if (keys.length > 1 && keys.includes("")) return undefined;
    list.set(
      (parts[1] ?? "").trim(),
      keys.filter((key) => key !== ""),
    );
  }
  return value.endsWith(",") ? undefined : list;
}

/** The entry for the resource `*` takes the place of all others. In an entry `*` means every label only if it comes first. */
export function isExported(list: AllowList, resource: string, key: string): boolean {
  const keys = list.get("*") ?? list.get(resource) ?? [];
  return keys[0] === "*" || keys.includes(key);
}
