// A layer's content, before it is a tar archive. Owner, times and modes aren't here: they are the same for everything.
export type TreeEntry =
  | { readonly kind: "folder"; readonly path: string }
  | { readonly kind: "link"; readonly path: string; readonly target: string }
  | {
      readonly kind: "file";
      readonly path: string;
      readonly isExecutable: boolean;
      readonly read: () => Promise<Buffer>;
    };

export function textFile(path: string, text: string): TreeEntry {
  return { kind: "file", path, isExecutable: false, read: async () => Buffer.from(text) };
}

/** Sorted by path, each folder before what is in it. The last of several with one path counts. */
export function orderTree(entries: readonly TreeEntry[]): TreeEntry[] {
  const byPath = new Map<string, TreeEntry>();
  for (const entry of entries) {
    for (const folder of foldersAbove(entry.path)) {
      if (!byPath.has(folder)) byPath.set(folder, { kind: "folder", path: folder });
    }
    byPath.set(entry.path, entry);
  }
  return [...byPath.values()].sort((a, b) => compare(a.path, b.path));
}

/** The order doesn't depend on the machine's language. */
export function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function foldersAbove(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
