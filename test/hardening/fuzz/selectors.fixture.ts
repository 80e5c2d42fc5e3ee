// Label and field selectors against a reading of their own, written after k8s.io/apimachinery's.
import assert from "node:assert/strict";
import { type LabelRequirement, matchesLabels, parseLabelSelector } from "@fairlead/kernel";
import { Fields } from "@fairlead/kube";
import fc from "fast-check";
import { matchesFields, parseFieldSelector } from "../../../packages/hub/src/picture/objects/field-selector.ts";
import { hostileText } from "./hostile.ts";
import { type Fuzzer, readOr, rule } from "./rule.ts";

const word = fc.stringMatching(/^[A-Za-z0-9]([A-Za-z0-9_.-]{0,6}[A-Za-z0-9])?$/);
const key = fc.oneof(
  word,
  fc.tuple(fc.constantFrom("a.example", "x"), word).map((parts) => parts.join("/")),
);
const plain = { noNullPrototype: true };
const requirement: fc.Arbitrary<LabelRequirement> = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom("in", "notin"),
      key,
      values: fc.array(fc.oneof(word, fc.constant("")), { minLength: 1, maxLength: 3 }),
    },
    plain,
  ),
  fc.record({ type: fc.constantFrom("exists", "absent"), key }, plain),
);
const space = fc.constantFrom("", " ", "  ");
const fieldNames = ["metadata.name", "status.phase", "spec.nodeName", "status.containerStatuses.0.ready"];

export const selectors: Fuzzer = {
  parser: "selectors",
  rules: [
    rule("a label selector is read as it was written, with spaces where they may be", {
      input: fc.tuple(fc.array(requirement, { maxLength: 4 }), space, fc.boolean()),
      check([requirements, gap, isShort]) {
        const text = requirements.map((one) => format(one, gap, isShort)).join(`${gap},${gap}`);
        assert.deepEqual(parseLabelSelector(text), requirements);
      },
    }),
    rule("any text is a label selector that reads the same when it is written again, or none", {
      input: hostileText(["a=b", "a in (b, c),!d", "x/a notin (),b!=c", "a==b,c"]),
      check(text) {
        const read = parseLabelSelector(text);
        if (read !== undefined)
          assert.deepEqual(parseLabelSelector(read.map((one) => format(one, "", false)).join()), read);
      },
    }),
    rule("labels match a selector as Kubernetes says", {
      input: fc.tuple(
        fc.array(requirement, { maxLength: 3 }),
        fc.dictionary(fc.oneof(key, fc.constant("__proto__")), word, { maxKeys: 4 }),
      ),
      check([requirements, labels]) {
        const has = (name: string): boolean => Object.keys(labels).includes(name);
        const wanted = requirements.every((one) => {
          if (!("values" in one)) return has(one.key) === (one.type === "exists");
          return (one.type === "in") === (has(one.key) && one.values.includes(labels[one.key] ?? ""));
        });
        assert.equal(matchesLabels(requirements, labels), wanted);
      },
    }),
    rule("a field selector takes nothing that Kubernetes refuses, and means the same", {
      input: hostileText(["metadata.name=a", "status.phase!=Running,spec.nodeName==b", "metadata.name=a\\,b\\=c\\\\"]),
      cases: 600,
      check(text) {
        const read = readOr(() => parseFieldSelector(text));
        if (read === undefined) return;
        const wanted = readLikeKubernetes(text);
        assert.notEqual(wanted, undefined, "Kubernetes refuses it");
        assert.deepEqual(
          read.map(({ path, isEqual, value }) => ({ path: path.join("."), isEqual, value })),
          wanted,
        );
      },
    }),
    rule("a field selector finds an object by any value of a field, escaped", {
      input: fc.tuple(fc.constantFrom(...fieldNames), fc.string({ unit: "binary", maxLength: 20 }), fc.boolean()),
      check([name, value, isEqual]) {
        const text = `${name}${isEqual ? "=" : "!="}${value.replace(/[\\,=]/g, "\\$&")}`;
        const read = parseFieldSelector(text);
        assert.deepEqual(read, [{ path: name.split("."), isEqual, value }]);
        const object = name.split(".").reduceRight<unknown>((inner, part) => ({ [part]: inner }), value);
        assert.equal(matchesFields(read, new Fields(object)), isEqual);
      },
    }),
  ],
};

function format(one: LabelRequirement, gap: string, isShort: boolean): string {
  switch (one.type) {
    case "exists":
      return one.key;
    case "absent":
      return `!${gap}${one.key}`;
    case "in":
    case "notin": {
      const [only = ""] = one.values;
      if (isShort && one.values.length === 1) return `${one.key}${gap}${one.type === "in" ? "=" : "!="}${gap}${only}`;
      return `${one.key} ${gap}${one.type}${gap}(${gap}${one.values.join(`${gap},${gap}`)}${gap})`;
    }
  }
}

interface FieldTerm {
  readonly path: string;
  readonly isEqual: boolean;
  readonly value: string;
}

/** `fields.ParseSelector`: splits at commas without a backslash, then at the first operator, then unescapes. */
function readLikeKubernetes(text: string): readonly FieldTerm[] | undefined {
  const terms: FieldTerm[] = [];
  for (const term of splitTerms(text)) {
    if (term === "") continue;
    const at = term.search(/!=|==|=/);
    if (at < 0) return undefined;
    const operator = /^(?:!=|==|=)/.exec(term.slice(at))?.[0] ?? "";
    const value = unescapeValue(term.slice(at + operator.length));
    if (value === undefined) return undefined;
    terms.push({ path: term.slice(0, at).trim(), isEqual: operator !== "!=", value });
  }
  return terms;
}

function splitTerms(text: string): string[] {
  const terms = [""];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === ",") terms.push("");
    else {
      const taken = text[at] === "\\" ? text.slice(at, at + 2) : text.slice(at, at + 1);
      terms[terms.length - 1] += taken;
      at += taken.length - 1;
    }
  }
  return terms;
}

function unescapeValue(text: string): string | undefined {
  if (!/^(?:[^\\,=]|\\[\\,=])*$/s.test(text)) return undefined;
  return text.replace(/\\(.)/g, "$1");
}
