import type { PutTemplateRequest } from "@fairlead/contract";
import { describe, expect, it, test } from "vitest";
import { checkTemplate } from "./check-template.ts";
import { checkValues, readParametersSchema } from "./parameters/index.ts";

const properties = { a: { type: "string" }, n: { type: "integer", default: 1 }, o: { type: "object" } };
const parameters = { type: "object", required: ["a"], properties: { a: properties.a } };

function problemOf(change: Partial<PutTemplateRequest>): string | undefined {
  try {
    checkTemplate({
      kind: "helm",
      clusters: { all: true },
      parameters,
      spec: { release: "web", values: { a: "${param:a}" } },
      ...change,
    });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
const withSpec = (spec: object, kind: PutTemplateRequest["kind"] = "helm") => problemOf({ kind, spec: { ...spec } });

describe("a template", () => {
  it("is taken when nothing is wrong", () => expect(problemOf({})).toBeUndefined());

  it.each([
    ["chart files", { release: "web", chart: { files: { "templates/a.yaml": "${param:a}" } } }],
    ["a whole chart", { release: "web", chart: "${param:a}" }],
    ["credentials", { release: "web", chart: { oci: "oci://x/y", credentials: { secret: "${param:a}" } } }],
    ["Secrets of values", { release: "web", valuesFrom: [{ secret: "shop/${param:a}" }] }],
    ["a list with such", { release: "web", valuesFrom: "${param:a}" }],
    ["names of members", { release: "web", values: { "${param:a}": 1, a: "${param:a}" } }],
    ["references", { release: "web", values: { a: "${secret:shop/${param:a}/key}" } }],
    ["references that are open", { release: "web", values: { a: "${secret:shop/web/ ${param:a}" } }],
  ])("has no parameters in %s", (_, spec) => expect(withSpec(spec)).toBeTypeOf("string"));

  it.each([
    ["manifests", { set: "web", manifests: "a: ${param:a}" }],
    ["tofu", { name: "web", source: { files: { "main.tf": "${param:a}" } } }],
    ["tofu", { name: "web", source: { files: {} }, variablesFrom: ['{"a": "${param:a}"}'] }],
    ["tofu", { name: "web", source: { files: {} }, outputs: { secret: "shop/${param:a}" } }],
    ["flow", { name: "web", steps: [{ id: "a", if: "${param:a}", helm: { release: "web" } }] }],
    ["flow", { name: "web", steps: [{ id: "a", helm: "${param:a}" }] }],
    ["flow", { name: "web", steps: "${param:a}" }],
    ["flow", { name: "web", steps: [{ id: "a", manifests: { set: "web", manifests: "${param:a}" } }] }],
  ] as const)("has no parameters in programs and documents of %s", (kind, spec) =>
    expect(withSpec(spec, kind)).toBeTypeOf("string"),
  );

  it("is told all that is wrong, and where", () => {
    const spec = { release: "Not one", values: { a: "${param:b}", c: "${param:a", d: "x${param:o}" }, chrat: {} };
    const problem = problemOf({ spec, parameters: { type: "object", properties } });
    for (const each of [
      "spec.values.a has a parameter 'b' that the schema doesn't name",
      "spec.values.c has a ${param: that isn't",
      "spec.values.d has 'o' within a text, and it is a object",
      "parameters.properties.n isn't used",
      "spec.release must be a name of a release",
      'Unrecognized key: "chrat"',
    ])
      expect(problem).toContain(each);
  });

  it("has values within texts that are there in any case", () => {
    const optional = { type: "object", properties: { a: properties.a } };
    const spec = { release: "web", values: { a: "x${param:a}" } };
    expect(problemOf({ parameters: optional, spec })).toContain("required or have a default");
  });

  it("that is deep or wide beyond its share is refused", () => {
    let deep: unknown = "x";
    for (let depth = 0; depth < 50_000; depth++) deep = [deep];
    expect(problemOf({ spec: { release: "web", values: { deep } } })).toContain("deeper");
    const values = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`k${index}`, "${param:a}"]));
    expect(problemOf({ spec: { release: "web", values } })).toContain("more than 500 places");
    const many = Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`p${index}`, { type: "string" }]));
    expect(problemOf({ parameters: { type: "object", properties: many } })).toContain("64 at most");
  });
});

test.each([
  ["a secret", { type: "string", writeOnly: true }, "can't be a secret"],
  ["a password", { type: "string", format: "password" }, "can't be a secret"],
  ["what isn't known", { type: "string", format: "date" }, "isn't known"],
  ["another's schema", { $ref: "#/x" }, "type must be one of"],
  ["several types", { type: ["string", "null"] }, "type must be one of"],
  ["a default that it refuses", { type: "integer", default: "1" }, "default must be a whole number"],
  ["a choice that it refuses", { type: "integer", enum: ["1"] }, "enum.0 must be a whole number"],
  ["a reference as default", { type: "string", default: "${secret:a/b/c}" }, "only the template itself"],
  [
    "a pattern that is none",
    { type: "string", pattern: "(" },
    "pattern isn't a regular expression: Unterminated group",
  ],
  ["a pattern that looks ahead", { type: "string", pattern: "(?=a)" }, "pattern has a part that isn't supported"],
])("a schema isn't taken with %s", (_, schema, problem) => {
  expect(problemOf({ parameters: { type: "object", required: ["a"], properties: { a: schema } } })).toContain(problem);
});

test("a schema that is too deep or has too many in it is refused", () => {
  const nest = (depth: number): object =>
    depth === 0 ? { type: "string" } : { type: "array", items: nest(depth - 1) };
  const read = (schema: object) => readParametersSchema({ type: "object", properties: { a: schema } }).problems;
  expect(read(nest(7))).toEqual([]);
  expect(read(nest(8))).toMatchObject([{ message: "is deeper than 8" }]);
  const wide = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`k${index}`, { type: "string" }]));
  expect(read({ type: "object", properties: wide })).toMatchObject([{ message: "is one of over 500" }]);
});

describe("values", () => {
  const { schema } = readParametersSchema({
    type: "object",
    required: ["name"],
    properties: {
      name: { type: "string", minLength: 2, maxLength: 3 },
      count: { type: "integer", exclusiveMinimum: 0, multipleOf: 2 },
      share: { type: "number", default: 0.5 },
      list: { type: "array", items: { type: "string", enum: ["x", "y"] }, minItems: 1, maxItems: 2, uniqueItems: true },
      map: { type: "object", additionalProperties: { type: "boolean" }, maxProperties: 1 },
      point: {
        type: "object",
        required: ["x"],
        properties: { x: { type: "integer" }, y: { type: "integer", default: 0 } },
      },
    },
  });
  const check = (values: unknown) => {
    if (!schema) throw new Error("no schema");
    const { value, problems } = checkValues(schema, values as Record<string, unknown>);
    return problems.length === 0 ? value : problems.map(({ path, message }) => `${path.join(".")} ${message}`);
  };

  it("that fit get defaults, also inside", () => {
    expect(check({ name: "😀😀😀", point: { x: 1 }, map: { __proto__x: true } })).toEqual({
      name: "😀😀😀",
      share: 0.5,
      map: { __proto__x: true },
      point: { x: 1, y: 0 },
    });
  });

  it("that don't fit are named, all of them", () => {
    const wrong = { name: "a", count: 3, share: "1", list: ["z", "x", "x"], map: { a: 1, b: true }, point: { z: 1 } };
    expect(check(wrong)).toEqual([
      "name must have 2 characters at least",
      "count must be a multiple of 2",
      "share must be a number",
      "list must have 2 items at most",
      'list.0 must be one of "x", "y"',
      "list must have different items",
      "map must have 1 members at most",
      "map.a must be true or false",
      "point.z isn't known",
      "point.x is missing",
    ]);
  });

  it.each([
    ["a member that all objects inherit", JSON.parse('{"name": "ab", "__proto__": {"x": 1}}'), "__proto__ isn't known"],
    ["another that all have", { name: "ab", constructor: 1 }, "constructor isn't known"],
    ["null", { name: null }, "name must be text"],
    ["a list for an object", { name: "ab", point: [] }, "point must be an object"],
    ["a reference in a list", { name: "ab", list: ["${secret:a/b/c}"] }, "must be one of"],
    ["a reference as a name", { name: "ab", map: { "${secret:a/b/c}": true } }, "can't be a name"],
  ])("with %s are refused", (_, values, problem) => {
    expect(String(check(values))).toContain(problem);
  });

  it("that are too large or too deep are refused before they are looked at", () => {
    expect(String(check({ name: "x".repeat(70_000) }))).toContain("more than 65536 bytes");
    let deep: unknown = 1;
    for (let depth = 0; depth < 50_000; depth++) deep = [deep];
    expect(String(check({ name: deep }))).toContain("deeper than 64");
  });
});

describe("a template hands over no credentials and no whole environment:", () => {
  const chart = { oci: "oci://registry.example.com/web" };
  const fixed = { secret: "shop/registry" };
  const source = { git: { url: "https://git.example.com/a", ref: "main" } };
  const tofu = (more: object) => withSpec({ name: "net", source, ...more }, "tofu");

  it.each([
    ["a password in a URL", "https://ci:s3cret@${param:a}/x"],
    ["a Secret's password in a URL", "https://ci:${secret:shop/git/token}@${param:a}/x"],
    ["a password before a fixed host", "https://ci:s3cret@git.example.com/${param:a}"],
    ["a part of a password", "https://${param:a}:s3cret@git.example.com"],
  ])("%s", (_, note) => expect(withSpec({ release: "web", values: { note } })).toContain("fixed credentials"));

  it.each(["https://${param:a}/x", "https://${param:a}@git.example.com", "mail ana@example.com, ${param:a}"])(
    "takes %s",
    (note) => expect(withSpec({ release: "web", values: { note } })).toBeUndefined(),
  );

  it("has no parameter in an address beside fixed credentials", () => {
    const oci = "oci://${param:a}/web";
    expect(withSpec({ release: "web", chart: { oci, credentials: fixed } })).toContain("fixed credentials");
    expect(withSpec({ release: "web", chart: { oci } })).toBeUndefined();
    expect(withSpec({ release: "web", chart: { ...chart, credentials: fixed }, namespace: "${param:a}" })).toBe(
      undefined,
    );
    const git = { url: "https://${param:a}/x", ref: "main", credentials: { password: "${secret:shop/git/token}" } };
    expect(tofu({ source: { git } })).toContain("fixed credentials");
    const step = { id: "a", tofu: { name: "net", source: { git } } };
    expect(withSpec({ name: "f", steps: [step] }, "flow")).toContain("fixed credentials");
  });

  it("has no parameter for the whole environment", () => {
    const parameters = { type: "object", required: ["a"], properties: { a: { type: "object" } } };
    const spec = { name: "net", source, environment: "${param:a}" };
    expect(problemOf({ kind: "tofu", spec, parameters })).toContain("spec.environment is a parameter as a whole");
    const steps = [{ id: "a", tofu: spec }];
    expect(problemOf({ kind: "flow", spec: { name: "f", steps }, parameters })).toContain("as a whole");
    expect(tofu({ environment: { TF_VAR_size: "${param:a}" } })).toBeUndefined();
  });
});
