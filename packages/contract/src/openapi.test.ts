import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createOpenApi } from "./openapi.ts";
import { operations } from "./operations.ts";

test("the committed OpenAPI document is the one that the schemas make", () => {
  const committed = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url), "utf8"));

  expect(committed, "regenerate with scripts/write-openapi.ts").toEqual(createOpenApi());
});

test("every reference in the document leads to a schema in it", () => {
  const document = createOpenApi() as { components: { schemas: Record<string, unknown> } };
  const referred = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? "");

  expect(referred.length).toBeGreaterThan(10);
  for (const reference of referred) {
    expect(document.components.schemas).toHaveProperty(reference.replace("#/components/schemas/", ""));
  }
});

test("no two operations have the same id, or the same method and path", () => {
  const ids = operations.map(({ id }) => id);
  // A router doesn't tell paths apart by the names of their parameters.
  const places = operations.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, "{}")}`);

  expect(ids.length).toBeGreaterThan(100);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(places).size).toBe(places.length);
});

test("every parameter of a path or a query has a description", () => {
  const { paths } = createOpenApi() as { paths: Record<string, Record<string, { parameters?: Parameter[] }>> };
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [] }]) =>
      parameters.map((parameter) => ({ ...parameter, of: `${method} ${path}` })),
    ),
  );

  expect(all.length).toBeGreaterThan(100);
  expect(all.filter(({ description = "" }) => description === "").map(({ of, name }) => `${of}: ${name}`)).toEqual([]);
});

test("every property and every schema of the document has a description", () => {
  const { components } = createOpenApi() as { components: { schemas: Record<string, DescribedSchema> } };
  const properties = Object.entries(components.schemas).flatMap(([name, schema]) => listProperties(schema, name));
  const unsaid = Object.entries(components.schemas).filter(([, { description = "" }]) => description === "");

  expect(properties.length).toBeGreaterThan(1_000);
  expect(properties.filter(({ description = "" }) => description === "").map(({ place }) => place)).toEqual([]);
  expect(unsaid.map(([name]) => name)).toEqual([]);
});

test("an operation names no code that docs/errors.md doesn't explain", () => {
  const text = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const documented = new Set([...text.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].map((match) => match[1]));
  const named = operations.flatMap(({ id, errors = [] }) => errors.map((code) => ({ id, code })));

  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ code }) => !documented.has(code))).toEqual([]);
});

interface Parameter {
  readonly name: string;
  readonly description?: string;
}

interface DescribedSchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
}

interface Property {
  readonly place: string;
  readonly description: string | undefined;
}

/** Properties of the schema, and of the schemas inside it. */
function listProperties(schema: unknown, place: string): Property[] {
  if (typeof schema !== "object" || schema === null) return [];
  const { properties = {} } = schema as DescribedSchema;
  const own = Object.entries(properties).map(([name, { description }]) => ({ place: `${place}.${name}`, description }));
  const inner = Object.entries(schema).flatMap(([key, value]) => listProperties(value, `${place}.${key}`));
  return [...own, ...inner];
}
