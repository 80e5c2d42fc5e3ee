// Values, schema and README of a chart say the same. test/e2e tests what Helm makes of them.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "./sources.ts";

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}

const charts = ["fairlead-agent", "fairlead-hub"] as const;
/** Made up by Helm for charts within charts. */
const fromHelm = "global";

test.each(charts)("the README of %s has each value with its default, and no other", (chart) => {
  const rows = [...read(chart, "README.md").matchAll(/^\| `([\w.]+)` \| (?:`([^`]*)`)?/gm)];
  const documented = new Map(rows.map(([, name = "", fallback]) => [name, fallback ?? ""]));
  const values = new Map(listLeaves(parse(read(chart, "values.yaml"))));
  expect([...documented.keys()].sort()).toEqual([...values.keys()].sort());
  for (const [name, value] of values) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    expect(documented.get(name), name).toBe(text);
  }
});

test.each(charts)("the schema of %s knows each value, and takes no other", (chart) => {
  const schema = JSON.parse(read(chart, "values.schema.json"));
  compare(parse(read(chart, "values.yaml")), schema, chart);

  function compare(value: object, part: Schema, path: string): void {
    const { properties = {}, additionalProperties } = part;
    expect(additionalProperties, `${path} takes anything`).toBe(false);
    const known = Object.keys(properties).filter((name) => name !== fromHelm);
    // Parts that are empty by default are described in the schema alone.
    if (Object.keys(value).length > 0) expect(known.sort(), path).toEqual(Object.keys(value).sort());
    for (const [name, inner] of Object.entries(value)) {
      const described = resolve(properties[name] ?? {}, schema);
      const isPart = isMapping(inner) && described.properties !== undefined;
      if (isPart && name !== "resources") compare(inner, described, `${path}.${name}`);
    }
  }
});

function resolve(part: Schema, schema: { definitions: Record<string, Schema> }): Schema {
  const name = part.$ref?.split("/").at(-1);
  return name === undefined ? part : (schema.definitions[name] ?? {});
}

function listLeaves(value: object, path = ""): [string, unknown][] {
  return Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
    const isDeeper = isMapping(inner) && Object.keys(inner).length > 0;
    return isDeeper ? listLeaves(inner, `${path}${name}.`) : [[`${path}${name}`, inner]];
  });
}

function isMapping(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function read(chart: string, file: string): string {
  return readFileSync(join(root, "charts", chart, file), "utf8");
}
