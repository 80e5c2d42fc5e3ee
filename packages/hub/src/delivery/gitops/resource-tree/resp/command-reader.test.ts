import fc from "fast-check";
import { expect, test } from "vitest";
import { resourceTreeErrors } from "../errors.ts";
import { RespCommandReader } from "./command-reader.ts";

const limits = { wholeBytes: 128, mostBytes: 4_096, mostArgs: 64 };
const args = fc.array(
  fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom("GET", "\r\n$3\r\n", "*1\r\n", "").map((text) => Buffer.from(text)),
    fc.uint8Array({ minLength: 100, maxLength: 300 }),
  ),
  { minLength: 1, maxLength: 6 },
);

test("commands are the same wherever their bytes are cut, and all bytes are handed on", () => {
  fc.assert(
    fc.property(fc.array(args, { maxLength: 5 }), fc.array(fc.nat(3_000), { maxLength: 40 }), (commands, cuts) => {
      const bytes = Buffer.concat(commands.map(format));
      const parts = readAll(split(bytes, cuts));
      const raws: Buffer[] = [];
      let isOpen = false;
      for (const part of parts) {
        raws[raws.length - (isOpen ? 1 : 0)] = Buffer.concat([...(isOpen ? [raws.at(-1) as Buffer] : []), part.raw]);
        isOpen = part.is === "piece" && !part.isLast;
        if (part.is !== "whole") continue;
        const expected = commands[raws.length - 1] ?? [];
        expect(part.args.map((arg) => arg.toString("hex"))).toEqual(
          expected.map((arg) => Buffer.from(arg).toString("hex")),
        );
        expect(part.raw.length).toBeLessThanOrEqual(limits.wholeBytes);
      }
      expect(raws.map((raw) => raw.toString("hex"))).toEqual(commands.map((each) => format(each).toString("hex")));
    }),
  );
});

test("bytes of any kind are understood or refused, and never kept", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2_000 }), fc.array(fc.nat(2_000), { maxLength: 20 }), (bytes, cuts) => {
      try {
        readAll(split(Buffer.from(bytes), cuts));
      } catch (error) {
        expect(resourceTreeErrors.is(error, "RESOURCE_TREE_PROTOCOL")).toBe(true);
      }
    }),
  );
});

test.each([
  ["more digits than a length has", "*99999999999\r\n", "isn't a number"],
  ["a line without an end", `*${"1".repeat(100)}`, "too many digits"],
  ["too many arguments", "*65\r\n", "more than 64 arguments"],
  ["a negative length", "*1\r\n$-1\r\n", "a length from 0"],
  ["an argument that is too long", "*1\r\n$4097\r\n", "a length from 0"],
  ["arguments that are too long together", `*2\r\n$2000\r\n${"x".repeat(2_000)}\r\n$2100\r\n`, "a length from 0"],
  ["an argument that is longer than it says", "*1\r\n$2\r\nabc\r\n", "longer than its length"],
  ["an argument that is no value", "*1\r\n:2\r\n", "begins with $"],
  ["a command on one line", "GET key\r\n", "begins with *"],
  ["a length that isn't one", "*1x\r\n", "isn't a number"],
  ["half a line's end", "*1\n", "isn't a number"],
])("%s is refused", (_, text, reason) => {
  expect(() => readAll([Buffer.from(text)])).toThrow(reason);
});

test("a command without arguments is none", () => {
  expect(readAll([Buffer.from("*0\r\n*-1\r\n*1\r\n$4\r\nPING\r\n")])).toMatchObject([
    { is: "whole", raw: Buffer.from("*1\r\n$4\r\nPING\r\n") },
  ]);
});

test("a long command is told by its name as soon as it is too long to be kept", () => {
  const long = format([Buffer.from("SET"), Buffer.from("key"), Buffer.alloc(1_000)]);
  const [first, ...rest] = readAll(split(long, [200, 600]));
  expect(first).toMatchObject({ is: "piece", name: "set", isLast: false });
  expect(rest.map((part) => part.is === "piece" && [part.name, part.isLast])).toEqual([
    [undefined, false],
    [undefined, true],
  ]);
});

function readAll(chunks: readonly Buffer[]) {
  const reader = new RespCommandReader(limits);
  return chunks.flatMap((chunk) => [...reader.read(chunk)]);
}

function format(command: readonly Uint8Array[]): Buffer {
  const words = command.map((arg) => Buffer.concat([Buffer.from(`$${arg.length}\r\n`), arg, Buffer.from("\r\n")]));
  return Buffer.concat([Buffer.from(`*${command.length}\r\n`), ...words]);
}

function split(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...new Set(cuts.filter((cut) => cut > 0 && cut < bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  );
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}
