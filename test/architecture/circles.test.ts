// Nobody can read one module of a circle without the others: there is none, of types neither.
import { expect, test } from "vitest";
import { readSources, resolveImport } from "./sources.ts";

const files = readSources(["packages"]);
const paths = new Set(files.map(({ path }) => path));
const graph = new Map(
  files.map((file) => {
    const targets = file.imports.filter((specifier) => specifier.startsWith("."));
    return [file.path, targets.map((target) => resolveImport(file, target)).filter((path) => paths.has(path))];
  }),
);

test("no modules import each other in a circle, nor the types of each other", () => {
  expect([...graph.values()].flat().length).toBeGreaterThan(1_000);
  expect(findCircles(graph)).toEqual([]);
});

test("a circle is found, however long and whatever leads to it", () => {
  const example = new Map([
    ["a", ["b"]],
    ["b", ["c", "d"]],
    ["c", ["b"]],
    ["d", ["e"]],
    ["e", []],
  ]);
  expect(findCircles(example)).toEqual([["b", "c"]]);
  expect(findCircles(new Map([["self", ["self"]]]))).toEqual([["self"]]);
});

/** The strongly connected components of more than one module, by Tarjan's algorithm; and modules that import themselves. */
function findCircles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  for (const node of edges.keys()) if (!order.has(node)) visit(node);
  return circles;

  function visit(node: string): void {
    order.set(node, order.size);
    lowest.set(node, order.get(node) as number);
    stack.push(node);
    for (const next of edges.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) lowest.set(node, Math.min(lowest.get(node) as number, lowest.get(next) as number));
    }
    if (lowest.get(node) !== order.get(node)) return;
    const circle = stack.splice(stack.indexOf(node));
    if (circle.length > 1 || edges.get(node)?.includes(node)) circles.push(circle.sort());
  }
}
