import { expect, test } from "vitest";
import { hasNestedQuantifiers } from "./nested-quantifiers.ts";

test.each(["(a+)+", "(?:a*b)*", "(?<cluster>(x[a-z]+y)?z)+", "(a+){2,}", "((a+))*", "(a{1,}b)+"])(
  "%s has",
  (source) => {
    expect(hasNestedQuantifiers(source)).toBe(true);
  },
);

test.each([
  "spiffe://x/ns/(?<cluster>[a-z0-9-]+)/sa/(?<role>[a-z]+)",
  "(a+)?",
  "(a+){1,3}",
  "(?:a|b)+",
  "[(a+)]+",
  "\\(a+\\)+",
  "a+b+",
])("%s hasn't", (source) => {
  expect(hasNestedQuantifiers(source)).toBe(false);
});
