// The hub's list of fields beside the definitions of Argo CD's kinds.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureKeptFiles } from "@fairlead/testkit";
import { describe, expect, it } from "vitest";
import type { Shape, Shapes } from "./pick-fields.ts";
import { applicationShape, projectShape, statusShape } from "./shapes.ts";

describe.each([
  ["an application's spec", "application", "spec", applicationShape, ["destination.name", "destination.server"]],
  ["an application's status", "application", "status", statusShape, []],
  [
    "a project's spec",
    "appproject",
    "spec",
    projectShape,
    // The hub makes the first three itself.
    ["destinations", "roles", "sourceNamespaces", "destinationServiceAccounts", "permitOnlyProjectScopedClusters"],
  ],
] as const)("%s", (_what, kind, part, shapes, leftOut) => {
  it("has no field of the hub's own making, and misses none but those that give rights", async () => {
    const defined = listDefined(await readPart(kind, part));
    const known = listKnown(shapes);
    const isLeftOut = (path: string): boolean => leftOut.some((one) => path === one || path.startsWith(`${one}.`));
    expect(known.filter((path) => !defined.includes(path))).toEqual([]);
    expect(defined.filter((path) => !known.includes(path) && !isLeftOut(path))).toEqual([]);
  });
});

interface Definition {
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly items?: Definition;
}

async function readPart(kind: string, part: string): Promise<Definition> {
  const file = join(await ensureKeptFiles("argocd"), "manifests", "crds", `${kind}-crd.json`);
  const { spec } = JSON.parse(await readFile(file, "utf8"));
  return spec.versions[0].schema.openAPIV3Schema.properties[part];
}

/** Paths of what has no fields of its own, without places in lists. */
function listDefined(definition: Definition, path = ""): string[] {
  const { properties, items } = definition;
  if (items !== undefined) return listDefined(items, path);
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([name, inner]) =>
    listDefined(inner, path === "" ? name : `${path}.${name}`),
  );
}

function listKnown(shape: Shape, path = ""): string[] {
  if (typeof shape === "string") return [path];
  const shapes = (Array.isArray(shape) ? shape[0] : shape) as Shapes;
  return Object.entries(shapes).flatMap(([name, inner]) => listKnown(inner, path === "" ? name : `${path}.${name}`));
}
