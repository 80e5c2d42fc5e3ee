import { expect, test } from "vitest";
import { readPattern } from "./index.ts";

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
];

test.each(patterns)("%s matches what JavaScript says that it matches", (source) => {
  const pattern = readPattern(source);
  for (const text of texts) expect([text, pattern.matches(text)]).toEqual([text, new RegExp(source, "u").test(text)]);
});

test.each([
  "(",
  ")",
  "a{2,1}",
  "[b-a]",
  "(?=a)",
  "(?<=a)b",
  "[\\s\\S]",
  "\\1",
  "\\b",
  "a**",
  "a*?",
  "*",
  "[a",
  "a{",
  "\\p{L}",
  "^*",
  "a{10000}",
])("%s isn't taken for a pattern", (source) => expect(() => readPattern(source)).toThrow());

test.each(["(a{100}){100}", "((((){9999}){9999}){9999}){9999}", "a{301}", "a".repeat(201), "(".repeat(50)])(
  "%s is too large, and is found to be so at once",
  (source) => {
    const beganMs = performance.now();
    expect(() => readPattern(source)).toThrow();
    expect(performance.now() - beganMs).toBeLessThan(1_000);
  },
);

test.each(["^(a+)+$", "^(a|aa)+$", "^(a*)*(a*)*(a*)*$", "(.*)*(.*)*(.*)*x", "^(([a-z])+.)+[A-Z]([a-z])+$"])(
  "%s takes no longer for a text that nearly matches",
  (source) => {
    const pattern = readPattern(source);
    const beganMs = performance.now();
    expect(pattern.matches(`${"a".repeat(1_023)}!`)).toBe(false);
    // A machine that backtracks would need longer than there is time.
    expect(performance.now() - beganMs).toBeLessThan(2_000);
  },
);
