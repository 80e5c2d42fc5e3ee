// Inputs as an attacker would make them: any characters or bytes, and valid inputs that were flipped, cut, repeated and
// mixed with what parsers stumble over.
import fc from "fast-check";

export function hostileText(samples: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 120 }) },
    { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
    { weight: 6, arbitrary: changed(fc.constantFrom(...samples), samples) },
  );
}

/** Made from valid texts that are chosen by chance, too. */
export function changed(
  valid: fc.Arbitrary<string>,
  others: readonly string[] = [],
  { mostLength = 20_000 }: { readonly mostLength?: number } = {},
): fc.Arbitrary<string> {
  const change = fc.record({
    how: fc.constantFrom("flip", "cut", "repeat", "insert", "nest", "splice"),
    at: fc.nat(),
    length: fc.nat(40),
    times: fc.oneof(fc.nat(4), fc.constantFrom(40, 400)),
    piece: fc.oneof(fc.constantFrom(...stumblers, ...others), fc.string({ unit: "binary", maxLength: 3 })),
  });
  return fc.tuple(valid, fc.array(change, { maxLength: 5 })).map(([text, changes]) => {
    let result = text;
    for (const { how, at, length, times, piece } of changes) {
      const start = result.length === 0 ? 0 : at % (result.length + 1);
      const [before, inside, behind] = [
        result.slice(0, start),
        result.slice(start, start + length),
        result.slice(start + length),
      ];
      const middle = {
        flip: String.fromCharCode(...[...inside].map((one) => (one.charCodeAt(0) ^ (1 << (times % 16))) & 0xffff)),
        cut: "",
        repeat: inside.repeat(times + 1),
        insert: piece + inside,
        nest: piece.repeat(times) + inside,
        splice: piece + text.slice(start),
      }[how];
      result = (before + middle + behind).slice(0, mostLength);
    }
    return result;
  });
}

export function hostileBytes(samples: readonly Uint8Array[]): fc.Arbitrary<Buffer> {
  const change = fc.record({
    how: fc.constantFrom("flip", "cut", "repeat", "insert", "length"),
    at: fc.nat(),
    length: fc.nat(40),
    times: fc.oneof(fc.nat(4), fc.constant(60)),
    bytes: fc.oneof(fc.uint8Array({ maxLength: 6 }), fc.constantFrom(...samples)),
  });
  const mutated = fc
    .tuple(fc.array(fc.constantFrom(...samples), { minLength: 1, maxLength: 3 }), fc.array(change, { maxLength: 5 }))
    .map(([parts, changes]) => {
      let result = Buffer.concat(parts);
      for (const { how, at, length, times, bytes } of changes) {
        const start = at % (result.length + 1);
        const inside = result.subarray(start, start + length);
        const middle = {
          flip: inside.map((byte) => byte ^ (1 << (times % 8))),
          cut: Buffer.alloc(0),
          repeat: Buffer.concat(Array.from({ length: times + 1 }, () => inside)),
          insert: Buffer.concat([bytes, inside]),
          length: Buffer.concat([Buffer.of(0xff, 0xff, 0xff, 0xff).subarray(0, times % 5), inside]),
        }[how];
        result = Buffer.concat([result.subarray(0, start), middle, result.subarray(start + length)]);
      }
      return result.subarray(0, 20_000);
    });
  return fc.oneof(
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)) },
    { weight: 4, arbitrary: mutated },
  );
}

/** Sizes of the pieces in which a stream arrives. */
export const pieceSizes: fc.Arbitrary<readonly number[]> = fc.array(
  fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 200 })),
  { minLength: 1, maxLength: 8 },
);

export function cutInto(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += sizes[(pieces.length - 1) % sizes.length] ?? 1)
    pieces.push(Buffer.from(bytes.subarray(at, at + (sizes[pieces.length % sizes.length] ?? 1))));
  return pieces;
}

const stumblers = [
  "\0",
  "\ud800",
  "\udc00",
  "\ufeff",
  "\u202e",
  "\r\n",
  "\n",
  "\t",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "99999999999999999999",
  "-1",
  "-",
  "1e999",
  "NaN",
  "0x10",
  "[",
  "]",
  "{",
  "}",
  "(",
  ")",
  '"',
  "'",
  "\\",
  "\\\\",
  "%00",
  "%2e%2e%2f",
  "../",
  "/",
  ".",
  "..",
  ",",
  ":",
  ";",
  "=",
  "!",
  "&a",
  "*a",
  "<<",
  '{"a":',
  "- ",
];
