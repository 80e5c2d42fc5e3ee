import fc from "fast-check";
import { expect, test } from "vitest";
import { ReplyFrames } from "./reply-frames.ts";

const text = fc.string({ maxLength: 30 }).map((line) => line.replace(/[\r\n]/g, ""));
const { element } = fc.letrec<{ element: string; leaf: string }>((tie) => ({
  leaf: fc.oneof(
    text.map((line) => `+${line}\r\n`),
    text.map((line) => `-ERR ${line}\r\n`),
    fc.integer().map((value) => `:${value}\r\n`),
    fc.constantFrom(
      "_\r\n",
      "#t\r\n",
      ",1.5\r\n",
      "(12345678901234567890\r\n",
      "$-1\r\n",
      "*-1\r\n",
      "*0\r\n",
      "%0\r\n",
    ),
    fc.string({ maxLength: 60 }).map((value) => `$${Buffer.byteLength(value)}\r\n${value}\r\n`),
    fc.constant("=8\r\ntxt:a\r\nb\r\n"),
    fc.constant("!7\r\nERR \r\nx\r\n"),
  ),
  element: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    tie("leaf"),
    fc.array(tie("element"), { maxLength: 4 }).map((all) => `*${all.length}\r\n${all.join("")}`),
    fc.array(tie("leaf"), { maxLength: 4 }).map((all) => `~${all.length}\r\n${all.join("")}`),
    fc
      .array(fc.tuple(tie("leaf"), tie("element")), { maxLength: 3 })
      .map((all) => `%${all.length}\r\n${all.flat().join("")}`),
    fc.tuple(tie("leaf"), tie("leaf"), tie("element")).map(([name, value, rest]) => `|1\r\n${name}${value}${rest}`),
  ),
}));
const push = fc.array(element, { minLength: 1, maxLength: 3 }).map((all) => `>${all.length}\r\n${all.join("")}`);

test("replies and pushes end where they do, wherever their bytes are cut", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(element, push), { minLength: 1, maxLength: 6 }),
      fc.array(fc.nat(600), { maxLength: 30 }),
      (replies, cuts) => {
        const bytes = Buffer.from(replies.join(""));
        const ends: [number, string][] = [];
        const frames = new ReplyFrames();
        const places = [0, ...new Set(cuts.filter((cut) => cut > 0 && cut < bytes.length)), bytes.length];
        places.sort((a, b) => a - b);
        for (const [index, end] of places.slice(1).entries()) {
          for (let at = places[index] ?? 0; at < end; ) {
            const passed = frames.pass(bytes.subarray(at, end));
            at += passed.bytes;
            if (passed.ended) ends.push([at, passed.ended]);
          }
        }
        let at = 0;
        expect(ends).toEqual(
          replies.map((reply) => {
            at += Buffer.byteLength(reply);
            return [at, reply.startsWith(">") ? "push" : "reply"];
          }),
        );
        expect(frames.isBetween).toBe(true);
      },
    ),
  );
});

test.each([["hello\r\n"], ["$abc\r\n"], ["*1\n"], ["$?\r\n"], ["*1\r\n".repeat(40)]])("%j is refused", (reply) => {
  expect(() => new ReplyFrames().pass(Buffer.from(reply))).toThrow("doesn't speak the Redis protocol");
});
