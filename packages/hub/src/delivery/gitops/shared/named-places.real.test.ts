// The fields of Argo CD's kinds that name a cluster, a server or a namespace, beside the page that says what becomes of each.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ensureKeptFiles, repoRoot } from "@fairlead/testkit";
import { expect, it } from "vitest";

it.each(["application", "appproject"])("the page tells what becomes of each such field of an %s", async (kind) => {
  const page = await readFile(join(repoRoot, "docs", "argocd-hub.md"), "utf8");
  const [, section = ""] = page.split("### Names of clusters, servers and namespaces\n");
  const rows = (section.split("\n### ")[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  const told = rows.flatMap((row) => (row.split("|")[1] ?? "").match(/(?<=`)[\w.]+(?=`)/g) ?? []);
  const file = join(await ensureKeptFiles("argocd"), "manifests", "crds", `${kind}-crd.json`);
  const { spec } = JSON.parse(await readFile(file, "utf8"));
  const { metadata: _metadata, ...fields } = spec.versions[0].schema.openAPIV3Schema.properties;
  const named = listPaths({ properties: fields }).filter((path) => /cluster|server|namespace|project/i.test(path));
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((path) => !told.some((one) => `.${path}.`.includes(`.${one}.`)))).toEqual([]);
});

interface Definition {
  readonly properties?: Readonly<Record<string, Definition>>;
  readonly items?: Definition;
}

function listPaths({ properties, items }: Definition, path: readonly string[] = []): string[] {
  if (items !== undefined) return listPaths(items, path);
  if (properties === undefined) return [path.join(".")];
  return Object.entries(properties).flatMap(([name, inner]) => listPaths(inner, [...path, name]));
}
