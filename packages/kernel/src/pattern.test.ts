import fc from "fast-check";
import { expect, test } from "vitest";
import { PatternProblem, readPattern } from "./pattern.ts";

const patterns = [
  "^[a-z][a-z0-9-]{0,5}$",
  "a|b",
  "^(?:ab|c)+$",
  "^a.c$",
  "\\d{2,3}",
  "^\\w+\\s\\w+$",
  "[^a-c]",
  "^$",
  "(a*)*b",
  "x?y+",
  "^(a|ab)(c|bcd)$",
  "[a-]",
  "[\\d-]",
  "\\.",
  "a{0}b",
  "(^a|b$)",
  "(?:a?){3}c",
  "é",
  "^.$",
  "[^\\n]x",
  "^\\s$",
  "^[^\\s]$",
  "^\\S$",
  "[[]",
  "[]",
  "^[^]$",
  "\\ba\\b",
  "a*?b",
  "\\p{Lu}",
  "^\\u{1F600}$|^\\u00e9$",
  "(?<first>a)b",
];
const texts = [
  "",
  "a",
  "b",
  "ab",
  "abc",
  "abcd",
  "aaab",
  "a-b",
  "a b",
  "12",
  "123",
  "a1",
  "é",
  "😀",
  "\n",
  "c",
  "aac",
  ".",
  "-",
  "y",
  "xy",
  "\r",
  "\u2028",
  "\v",
  "\u00a0",
  "[",
  "A",
];

test.each(patterns)("%s matches what JavaScript says that it matches", (source) => {
  const pattern = read(source);
  for (const text of texts) expect([text, pattern.matches(text)]).toEqual([text, new RegExp(source, "u").test(text)]);
});

test.each([
  ["(", "isn't a regular expression: Unterminated group"],
  [")", "isn't a regular expression: Unmatched ')'"],
  ["a{2,1}", "isn't a regular expression: numbers out of order in {} quantifier"],
  ["[b-a]", "isn't a regular expression: Range out of order in character class"],
  ["a{", "isn't a regular expression: Incomplete quantifier"],
  ["(?i)a", "isn't a regular expression: Invalid group"],
  ["(?P<n>a)", "isn't a regular expression: Invalid group"],
  ["(?=a)", "has a part that isn't supported"],
  ["(?<=a)b", "has a part that isn't supported"],
  ["(a)\\1", "has a part that isn't supported"],
  ["(?<n>a)\\k<n>", "has a part that isn't supported"],
  ["[\\s\\S]", "has \\S within [ ]"],
  ["\\ud83d\\ude00", "has half of a character"],
  ["a{1001}", "has a part that isn't supported"],
  ["^*", "isn't a regular expression: Nothing to repeat"],
  ["a".repeat(201), "is longer than 200 characters"],
])("%s isn't taken for a pattern: it %s", (source, why) => {
  expect(() => read(source)).toThrow(why);
  expect(() => read(source)).toThrow(PatternProblem);
});

test.each([
  "(a{100}){100}",
  "((((){9999}){9999}){9999}){9999}",
  "(?:a{600}){1}b{600}",
  ".{999}".repeat(20),
  "(".repeat(50),
])("%s is too large, and is found to be so at once", (source) => {
  const beganMs = performance.now();
  expect(() => read(source)).toThrow();
  expect(performance.now() - beganMs).toBeLessThan(1_000);
});

test.each(["^(a+)+$", "^(a|aa)+$", "^(a*)*(a*)*(a*)*$", "(.*)*(.*)*(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
  "%s takes no longer for a text that nearly matches",
  (source) => {
    const pattern = read(source);
    const beganMs = performance.now();
    expect(pattern.matches(`${"a".repeat(1_023)}!`)).toBe(false);
    // A machine that backtracks would need longer than there is time.
    expect(performance.now() - beganMs).toBeLessThan(2_000);
  },
);

test("named groups are read", () => {
  const pattern = readPattern("^(?<cluster>[a-z]+)(?:/(?<role>[a-z]+))?$", { mostLength: 100 });
  expect(pattern.groupNames).toEqual(["cluster", "role"]);
  expect(pattern.groups("east/proxy")).toEqual({ cluster: "east", role: "proxy" });
  expect(pattern.groups("east")).toMatchObject({ cluster: "east" });
  expect(pattern.groups("east")?.["role"]).toBeUndefined();
  expect(pattern.groups("east/")).toBeUndefined();
  expect(read("a").groups("a")).toEqual({});
});

test("whatever is taken for a pattern matches what JavaScript says that it matches", () => {
  const parts = [
    ..."ab[]^-.$|*?+(){}1,\\",
    "\\s",
    "\\S",
    "\\w",
    "\\W",
    "\\d",
    "\\b",
    "[^",
    "(?:",
    "[a-c]",
    "{1,2}",
    "\\n",
    "\\v",
  ];
  const source = fc.array(fc.constantFrom(...parts), { maxLength: 8 }).map((some) => some.join(""));
  const text = fc
    .array(fc.constantFrom(..."ab1-[] \n\r\v\u00a0\u2028é😀^"), { maxLength: 6 })
    .map((some) => some.join(""));
  let taken = 0;
  fc.assert(
    fc.property(source, fc.array(text, { minLength: 5, maxLength: 5 }), (expression, some) => {
      const pattern = readUnlessProblem(expression);
      if (!pattern) return;
      taken += 1;
      for (const one of some) expect([one, pattern.matches(one)]).toEqual([one, new RegExp(expression, "u").test(one)]);
    }),
    { numRuns: 3_000 },
  );
  expect(taken).toBeGreaterThan(300);
});

function read(source: string) {
  return readPattern(source, { mostLength: 200 });
}

function readUnlessProblem(source: string) {
  try {
    return read(source);
  } catch (error) {
    if (error instanceof PatternProblem) return undefined;
    throw error;
  }
}
