import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "./sources.ts";

const { components } = JSON.parse(read("packages/contract/openapi.json")) as {
  readonly components: { readonly schemas: Readonly<Record<string, { readonly properties: object }>> };
};

test.each([
  ["HelmSpec", "docs/commands-helm.md", "packages/agent/src/execute/helm/spec.ts"],
  ["TofuSpec", "docs/commands-tofu.md", "packages/agent/src/execute/tofu/spec.ts"],
  ["ManifestsSpec", "docs/commands-manifests.md", "packages/agent/src/execute/manifests/spec.ts"],
  ["FlowSpec", "docs/commands-flow.md", "packages/agent/src/execute/flow/spec.ts"],
])("members of %s are the same for the hub, the agent and the documentation", (schema, document, parser) => {
  const known = Object.keys(components.schemas[schema]?.properties ?? {}).sort();
  expect(known.length).toBeGreaterThan(2);
  expect(documentedIn(read(document))).toEqual(known);
  expect(parsedIn(read(parser))).toEqual(known);
});

/** Of the first table whose rows are members; `source.files` is a part of one. */
function documentedIn(text: string): readonly string[] {
  const [, rows = ""] = /^\| Member \|.*\n\|[-|]+\n((?:\|.*\n)+)/m.exec(text) ?? [];
  const names = rows.split("\n").flatMap((row) => row.split("|")[1]?.match(/(?<=`)[a-z]\w*/gi) ?? []);
  return [...new Set(names)].sort();
}

function parsedIn(text: string): readonly string[] {
  const [, members = ""] = /^const shape = z\.strictObject\(\{\n([\s\S]*?)^\}\);$/m.exec(text) ?? [];
  return [...members.matchAll(/^ {2}(\w+)[:,]/gm)].map(([, name]) => name ?? "").sort();
}

function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
