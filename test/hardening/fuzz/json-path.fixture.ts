import assert from "node:assert/strict";
import { evaluateTemplate, findValues, JsonPathProblem, parsePath, parseTemplate } from "@fairlead/kernel/json-path";
import fc from "fast-check";
import { hostileText } from "./hostile.ts";
import { type Fuzzer, readOr, rule } from "./rule.ts";

const isProblem = (error: unknown): boolean => error instanceof JsonPathProblem;
const samples = [
  "{.kind}",
  ".metadata.labels.app\\.kubernetes\\.io/name",
  "{.items[?(@.status.phase=='Running')].metadata['name',\"labels\"]}",
  '{range .items[*]}{.metadata.name}{"\\t"}{@.status.restarts}{"\\n"}{end}',
  "{..phase}",
  "{.items[::2]}{.items[-1:]}{.items[0,2]}",
  "{range .items[?(@.status.restarts > 1)]}{range .metadata.labels.*}{@} of {$.kind}{end}{end}",
];
const paths = [".a.b[*].c", "..c", ".a[?(@.b==1)].c", ".a.*.*", "[*][*][*]", "..[*]..*"];
const document = { kind: "List", items: [{ metadata: { name: "a", labels: { x: "y" } }, status: { phase: "Up" } }] };

export const jsonPath: Fuzzer = {
  parser: "JSONPath",
  rules: [
    rule("any text is a template or refused with a reason", {
      input: hostileText(samples),
      check(text) {
        const template = readOr(() => parseTemplate(text), isProblem);
        if (template === undefined) return;
        // It takes a character for each part, so that no short text makes a long template.
        assert.ok(template.length <= text.length + 1);
        assert.equal(typeof evaluateTemplate(template, document), "string");
      },
    }),
    rule("a path looks at no more parts of an object than it may", {
      input: fc.tuple(hostileText(paths), fc.jsonValue({ maxDepth: 5 }), fc.nat(200)),
      check([text, value, left]) {
        const query = readOr(() => parsePath(text), isProblem);
        if (query === undefined) return;
        const effort = { left };
        let found = 0;
        for (const each of findValues(query, value, effort)) found += each === undefined ? 0 : 1;
        assert.ok(found <= left + 1, `${found} values for an effort of ${left}`);
      },
    }),
    rule("a path leads to what its steps lead to by hand, and never to what an object inherits", {
      input: fc.tuple(fc.object({ maxDepth: 4, withNullPrototype: false }), fc.array(fc.string(), { maxLength: 4 })),
      check([value, names]) {
        // In single quotes Kubernetes has paths.
        const text = `$${names.map((name) => `["${name.replace(/[\\"]/g, "\\$&")}"]`).join("")}`;
        const found = findValues(parsePath(text), value, { left: 1_000 });
        let wanted: unknown = value;
        for (const name of names) wanted = memberOf(wanted, name);
        assert.deepEqual(found, wanted === absent ? [] : [wanted]);
      },
    }),
  ],
};

const absent = Symbol("absent");

function memberOf(value: unknown, name: string): unknown {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : absent;
}
