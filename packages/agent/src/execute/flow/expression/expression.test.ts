import { expect, test } from "vitest";
import { evaluate, mentions, type Situation } from "./evaluate.ts";
import { parseExpression } from "./parse.ts";
import type { Status } from "./types.ts";

const outputs: Readonly<Record<string, unknown>> = {
  text: "v1.2",
  count: 3,
  flag: true,
  none: null,
  list: [{ ip: "10.0.0.1" }],
  nested: { "a.b/c": 7 },
};
const earlier = new Set(["a", "my-step"]);

function situation(holding: readonly Status[] = ["success", "always"]): Situation {
  return {
    holds: (status) => holding.includes(status),
    lookUp({ output }) {
      if (output === undefined) return "failed";
      let value: unknown = outputs[output.name] ?? null;
      for (const part of output.path) value = (value as Record<string | number, unknown>)[part];
      return value;
    },
  };
}

test.each([
  ["true", true],
  ["!true", false],
  ["!!true", true],
  ["true && false || true", true],
  ["true && (false || true)", true],
  ["false || false", false],
  ["success()", true],
  ["failure()", false],
  ["always() && !cancelled( )", true],
  ["steps.a.outcome == 'failed'", true],
  ['steps.my-step.outcome != "failed"', false],
  ["steps.a.outputs.count == 3", true],
  ["steps.a.outputs.count > 2.5", true],
  ["steps.a.outputs.count<-2", false],
  ["steps.a.outputs.count == '3'", false],
  ["steps.a.outputs.flag", true],
  ["!steps.a.outputs.flag == false", true],
  ["steps.a.outputs.none == null", true],
  ["steps.a.outputs.other == null", true],
  ["steps.a.outputs.list != null", true],
  ["steps.a.outputs.list[0].ip == '10.0.0.1'", true],
  ["steps.a.outputs.nested['a.b/c'] > 6", true],
  ["steps.a.outputs.text == 'v1.2'", true],
  ["'it''s' == 'x'", undefined],
  ["'it\\'s' == \"it's\"", true],
  ["1 < 2 == true", true],
])("%s is %s", (text, expected) => {
  if (expected === undefined) expect(() => parseExpression(text, earlier)).toThrow(/at character/);
  else expect(evaluate(parseExpression(text, earlier), situation())).toBe(expected);
});

test.each([
  ["", "here a value is missing (at character 1)"],
  ["steps.b.outcome == 'failed'", "there is no step b before this one (at character 7)"],
  ["steps.a.outcome == 'failure'", "an outcome is one of succeeded, failed, skipped, cancelled (at character 17)"],
  ["steps.a.outcome", "a string is neither true nor false (at character 1)"],
  ["steps.a.result == 1", "here .outcome or .outputs.NAME is missing (at character 8)"],
  ["steps.a.outputs. == 1", "here the name of an output is missing (at character 17)"],
  ["steps.a.outputs.x[ == 1", "here a number or a name in quotes is missing (at character 19)"],
  ["1", "a number is neither true nor false (at character 1)"],
  ["true && 'x'", "a string is neither true nor false (at character 9)"],
  ["!1", "a number is neither true nor false (at character 2)"],
  ["1 == 'x'", "a number is never a string (at character 3)"],
  ["'a' < 'b'", "< compares numbers, and not a string (at character 5)"],
  ["true == true == true", "this can't stand here (at character 14)"],
  ["(true", "here ) is missing (at character 6)"],
  ["'true", "the text has no closing quote (at character 1)"],
  ["success", "success is written success() (at character 1)"],
  ["succeeded == 1", "succeeded is nothing that an if knows; texts stand in quotes (at character 1)"],
  ["true & true", "this can't stand here (at character 6)"],
  ["1e3 == 1", "here a value is missing (at character 1)"],
  ["process.exit()", "process is nothing that an if knows; texts stand in quotes (at character 1)"],
  [`${"(".repeat(40)}true${")".repeat(40)}`, "it is nested more than 32 deep (at character 33)"],
  [`${"!".repeat(40)}true`, "it is nested more than 32 deep (at character 33)"],
  [`true${" ".repeat(1_000)}`, "it is longer than 1000 characters (at character 1001)"],
])("%j is refused with where it is wrong", (text, message) => {
  expect(() => parseExpression(text, earlier)).toThrow(message);
});

test.each([
  ["steps.a.outputs.text", "a string is neither true nor false"],
  ["steps.a.outputs.none && true", "null is neither true nor false"],
  ["steps.a.outputs.text > 1", "> compares numbers, and not a string and a number"],
  ["steps.a.outputs.list == 'x'", "a list can be compared to null alone"],
  ["steps.a.outputs.nested == steps.a.outputs.nested", "an object can be compared to null alone"],
])("%s fails when it is looked at: outputs have the types that they have", (text, message) => {
  expect(() => evaluate(parseExpression(text, earlier), situation())).toThrow(message);
});

test("what isn't needed isn't looked at", () => {
  expect(evaluate(parseExpression("true || steps.a.outputs.text", earlier), situation())).toBe(true);
  expect(evaluate(parseExpression("false && steps.a.outputs.text", earlier), situation())).toBe(false);
});

test("it is known whether an if looks at how the flow goes", () => {
  const isMentioned = (text: string): boolean => mentions(parseExpression(text, earlier), ["cancelled", "always"]);
  expect(["true", "!(1 < 2) || cancelled()", "always() == true", "success()"].map(isMentioned)).toEqual([
    false,
    true,
    true,
    false,
  ]);
});
