import fc from "fast-check";
import { expect, test } from "vitest";
import { isRawNumber, parseExactJson } from "./exact-json.ts";
import { Fields } from "./fields.ts";
import { isRecord } from "./is-record.ts";
import { parseQuantity } from "./quantity.ts";

test.each([
  "9007199254740993",
  '{"n":9007199254740993}',
  '{"n":-9223372036854775808,"m":9223372036854775807}',
  "[1,9007199254740993,18446744073709551615]",
  '{"a":{"b":[[9007199254740993]]},"c":"9007199254740993"}',
])("%s is written as it was read", (text) => {
  expect(JSON.stringify(parseExactJson(text))).toBe(text);
  expect(JSON.stringify(parseExactJson(text.replaceAll(",", " ,\n ").replaceAll(":", " : ")))).toBe(text);
});

test.each([
  "1",
  "9007199254740992",
  "-9007199254740991",
  "12345678901234567000",
  "0.12345678901234568",
  '"a:9007199254740993"',
  '{"9007199254740993":[true,null]}',
])("%s is what JSON.parse makes of it", (text) => {
  expect(parseExactJson(text)).toStrictEqual(JSON.parse(text));
  expect(parseExactJson(`{"n":${text},"m":9007199254740993}`)).toMatchObject({ n: JSON.parse(text) });
});

test("what isn't JSON isn't read, whatever digits it has", () => {
  for (const text of ["", "{", "[9007199254740993", "9007199254740993.", "09007199254740993"])
    expect(() => parseExactJson(text)).toThrow(SyntaxError);
});

test("a text that is nested as deep as can be is read as JSON.parse reads it", () => {
  const levels = 100_000;
  const read = parseExactJson(`${"[".repeat(levels)}9007199254740993${"]".repeat(levels)}`);
  expect(Array.isArray(read)).toBe(true);
});

test("nothing that came as JSON is a raw number by its members, or takes its prototype's place", () => {
  const read = parseExactJson('{"a":{"rawJSON":"1"},"__proto__":{"x":9007199254740993},"n":9007199254740993}') as {
    a: unknown;
    n: unknown;
  };
  expect(isRawNumber(read.a)).toBe(false);
  expect(isRawNumber(read.n)).toBe(true);
  expect(Object.hasOwn(read, "__proto__")).toBe(true);
  expect([null, undefined, 1, "1", [], Object.create(null)].some(isRawNumber)).toBe(false);
});

test("a raw number is a number to those who read fields, and no object", () => {
  const value = parseExactJson("9007199254740993");
  const fields = new Fields({ n: value });

  expect(isRecord(value)).toBe(false);
  expect(fields.at("n").scalar()).toBe("9007199254740993");
  expect(fields.at("n").number()).toBe(9007199254740992);
  expect(fields.at("n").text()).toBeUndefined();
  expect(fields.at("n").entries()).toEqual([]);
  expect(fields.json()).toBe('{"n":9007199254740993}');
  expect(parseQuantity(value)).toBe(9007199254740992);
});

test("whatever whole numbers and texts a document has, it is written as it was read", () => {
  const whole = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), whole)), (pairs) => {
      const text = `[${pairs.map(([name, n]) => `{${JSON.stringify(name)}:[${n},${JSON.stringify(`:${n}`)}]}`).join(",")}]`;
      expect(JSON.stringify(parseExactJson(text))).toBe(text);
    }),
  );
});

test("a text with more values than may be looked at is read without its digits", () => {
  const text = (count: number) => `[${"1,".repeat(count)}9007199254740993]`;
  const limits = { mostValues: 100_000 };

  expect((parseExactJson(text(2_000_000), limits) as unknown[]).at(-1)).toBe(9007199254740992);
  expect(isRawNumber((parseExactJson(text(99_000), limits) as unknown[]).at(-1))).toBe(true);
});
