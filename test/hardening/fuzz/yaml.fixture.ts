// Manifests and values against the `yaml` package and against JSON, both of which a document may be written in.
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseAllDocuments, stringify } from "yaml";
import { readManifests } from "../../../packages/agent/src/execute/manifests/read-manifests.ts";
import { readAsHelm, readDocuments, YamlProblem } from "../../../packages/agent/src/execute/manifests/yaml/index.ts";
import { hostileText } from "./hostile.ts";
import { type Fuzzer, readOr, rule } from "./rule.ts";

const isProblem = (error: unknown): boolean => error instanceof YamlProblem;
const manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  labels: {x: 'y'}\ndata:\n  k: |\n    line\n";
const samples = [
  manifest,
  `${manifest}---\n# Source: web/a.yaml\n${manifest}`,
  "a: &x {b: [1, 2.5, ~, yes]}\nc: *x\nd:\n  <<: *x\n",
  "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: s}}\n",
  "v: !!int 0x1F\nw: !!str 08\nx: 1_000\ny: .5e3\n",
  '? "a"\n: >-\n  folded\n  text\n',
];
const json = fc.jsonValue({ maxDepth: 4 }).filter((value) => JSON.stringify(value).length < 5_000);
const safe = json.map((value) => JSON.parse(JSON.stringify(value, toSafe)) as unknown);

export const yaml: Fuzzer = {
  parser: "YAML",
  rules: [
    rule("any text is manifests, or refused by a code", {
      input: hostileText(samples),
      check(text) {
        for (const { object } of readOr(() => readManifests(text)) ?? []) {
          assert.equal(typeof object.metadata.name, "string");
          assert.doesNotMatch(String(object.metadata.name), /[/%]/);
        }
      },
    }),
    rule("any text is documents of plain values, or refused with a line", {
      input: hostileText(samples),
      check(text) {
        for (const { value } of readOr(() => readDocuments(text), isProblem) ?? []) checkPlain(value);
        for (const document of readAsHelm(text)) {
          if (document.problem === undefined) checkPlain(document.value);
        }
      },
    }),
    rule("a value written as JSON or as YAML is read as it was", {
      input: fc.tuple(safe, fc.boolean(), fc.constantFrom(1, 2, 4)),
      check([value, isJson, indent]) {
        const text = isJson
          ? JSON.stringify(value, undefined, indent)
          : stringify(value, {
              indent,
              version: "1.1",
              defaultStringType: "QUOTE_DOUBLE",
              defaultKeyType: "QUOTE_DOUBLE",
            });
        const found = readOr(() => readDocuments(text), isProblem);
        // What JSON allows in a text and YAML doesn't is refused; so are keys of more than 1,024 characters.
        if (found === undefined && /[\x7f-\x9f\ufffd-\uffff\ud800-\udfff]/.test(text)) return;
        assert.deepEqual(found?.map((one) => one.value ?? null) ?? "refused", text.trim() === "" ? [] : [value]);
      },
    }),
    rule("what is taken has the structure that the yaml package finds", {
      input: hostileText(samples),
      check(text) {
        const found = readOr(() => readDocuments(text), isProblem);
        if (found === undefined || text.includes("\ufeff")) return;
        const others = parseAllDocuments(text, { version: "1.1", schema: "failsafe", uniqueKeys: false, merge: true });
        assert.ok(Array.isArray(others) || found.length === 0);
        const shapes = Array.isArray(others) ? others.map((one) => shapeOf(one.toJS({ maxAliasCount: -1 }))) : [];
        assert.deepEqual(
          found.map(({ value }) => shapeOf(value ?? null)),
          shapes,
        );
      },
    }),
  ],
};

function toSafe(_key: string, value: unknown): unknown {
  return typeof value === "number" && Math.abs(value) > Number.MAX_SAFE_INTEGER ? 0 : value;
}

function checkPlain(value: unknown): void {
  const text = JSON.stringify(value);
  if (text === undefined) assert.equal(value, undefined);
  else assert.deepEqual(JSON.parse(text), value);
}

/** Lists by their lengths and maps by the number of their members; what a scalar is, is for others to compare. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== "object" || value === null) return "scalar";
  return Object.values(value).map(shapeOf);
}
