// Which files a change reaches by imports. Hubs and doors import everything, so a door passes on only the names that it
// re-exports from a changed file.
import { dirname, join, normalize } from "node:path";
import { parseSync } from "oxc-parser";

/** Names of exports; undefined stands for all of them. */
type Names = ReadonlySet<string> | undefined;

interface Arrow {
  readonly from: string;
  /** Undefined for a whole module. */
  readonly name: string | undefined;
  /** The name under which a door re-exports it; undefined for `export *`. Absent where `from` uses it itself. */
  readonly door?: { readonly as: string | undefined };
}

export interface ImportGraph {
  /** Each reached file with the number of imports between it and the nearest changed file. */
  reach(changed: readonly string[]): ReadonlyMap<string, number>;
}

export function readImportGraph(options: {
  /** Paths from the root of the repository. */
  readonly files: readonly string[];
  readonly read: (file: string) => string;
  /** The file that `@fairlead/NAME/PART` stands for. */
  readonly modules: ReadonlyMap<string, string>;
}): ImportGraph {
  const { files, read, modules } = options;
  const arrows = new Map<string, Arrow[]>();
  for (const file of files) {
    for (const { specifier, ...arrow } of readArrows(file, read(file))) {
      const to = specifier.startsWith(".") ? normalize(join(dirname(file), specifier)) : modules.get(specifier);
      if (to === undefined) continue;
      const known = arrows.get(to);
      if (known === undefined) arrows.set(to, [arrow]);
      else known.push(arrow);
    }
  }
  return { reach: (changed) => reach(arrows, changed) };
}

/** Breadth first, so that the first distance of a file is its least. */
function reach(arrows: ReadonlyMap<string, readonly Arrow[]>, changed: readonly string[]): ReadonlyMap<string, number> {
  const distances = new Map<string, number>();
  const passed = new Set<string>();
  let edge: { readonly file: string; readonly names: Names }[] = changed.map((file) => ({ file, names: undefined }));
  for (let distance = 0; edge.length > 0; distance += 1) {
    const next: typeof edge = [];
    for (const { file, names } of edge) {
      const fresh = takeFresh(passed, file, names);
      if (fresh === null) continue;
      if (!distances.has(file)) distances.set(file, distance);
      for (const arrow of arrows.get(file) ?? []) {
        if (!isReached(arrow, fresh)) continue;
        next.push({ file: arrow.from, names: namesThrough(arrow, fresh) });
      }
    }
    edge = next;
  }
  return distances;
}

/** The names that nobody has followed from this file yet; null when there are none. */
function takeFresh(passed: Set<string>, file: string, names: Names): Names | null {
  if (passed.has(file)) return null;
  if (names === undefined) {
    passed.add(file);
    return undefined;
  }
  const fresh = [...names].filter((name) => !passed.has(`${file}#${name}`));
  for (const name of fresh) passed.add(`${file}#${name}`);
  return fresh.length === 0 ? null : new Set(fresh);
}

function isReached({ name }: Arrow, names: Names): boolean {
  return name === undefined || names === undefined || names.has(name);
}

function namesThrough({ door }: Arrow, names: Names): Names {
  if (door === undefined) return undefined;
  return door.as === undefined ? names : new Set([door.as]);
}

function readArrows(file: string, text: string): (Arrow & { readonly specifier: string })[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module;
  const imports = staticImports.flatMap(({ moduleRequest: { value: specifier }, entries }) => {
    if (entries.length === 0) return [{ from: file, specifier, name: undefined }];
    // Types are gone when a test runs; the compiler checks them.
    return entries
      .filter(({ isType }) => !isType)
      .map(({ importName }) => ({ from: file, specifier, name: toName(importName) }));
  });
  const exports = staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName, exportName, isType }) => {
      if (moduleRequest === null || isType) return [];
      const door = { as: exportName.name ?? undefined };
      return [{ from: file, specifier: moduleRequest.value, name: toName(importName), door }];
    }),
  );
  const lazy = dynamicImports.flatMap(({ moduleRequest: { start, end } }) => {
    const specifier = /^["'](.+)["']$/.exec(text.slice(start, end))?.[1];
    return specifier === undefined ? [] : [{ from: file, specifier, name: undefined }];
  });
  return [...imports, ...exports, ...lazy];
}

function toName({ kind, name }: { readonly kind: string; readonly name: string | null }): string | undefined {
  return kind === "Default" ? "default" : (name ?? undefined);
}
