import { array, assert, constantFrom, property, record, string, stringMatching, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { parseXfcc } from "./xfcc.ts";

test("Envoy's own examples are read", () => {
  const one =
    'By=http://frontend.lyft.com;Hash=468e;Subject="/C=US/ST=CA/OU=\\"Lyft\\"/CN=test";URI=http://testclient.lyft.com';
  expect(parseXfcc(one)).toEqual([
    {
      pairs: [
        ["by", "http://frontend.lyft.com"],
        ["hash", "468e"],
        ["subject", '/C=US/ST=CA/OU="Lyft"/CN=test'],
        ["uri", "http://testclient.lyft.com"],
      ],
    },
  ]);
  const two =
    "By=http://frontend.lyft.com;Hash=468e;URI=http://testclient.lyft.com, By=http://backend.lyft.com;URI=spiffe://x";
  expect(parseXfcc(two)?.map(({ pairs }) => pairs.at(-1)?.[1])).toEqual(["http://testclient.lyft.com", "spiffe://x"]);
  expect(parseXfcc('Subject="";URI=a;DNS=b;DNS=c')?.[0]?.pairs).toHaveLength(4);
});

test.each([
  "",
  ",",
  "URI",
  "URI=a,",
  "URI=a;",
  ";URI=a",
  "=a",
  'URI="a',
  'URI=a"b',
  'URI="a"b',
  'URI="a""b"',
  "URI=a=b",
  "URI=a b",
  'Subject="a\\";URI=b',
  "UR I=a",
])("%j isn't one", (text) => {
  expect(parseXfcc(text)).toBeUndefined();
});

test("what was written is read again", () => {
  const pairs = array(record({ key: constantFrom("By", "Hash", "Subject", "URI", "DNS"), value: string() }), {
    minLength: 1,
  });
  assert(
    property(array(pairs, { minLength: 1 }), (elements) => {
      // A backslash before a quote can't be written: Envoy doesn't escape it.
      const clean = elements.map((element) =>
        element.map(({ key, value }) => [key.toLowerCase(), value.replaceAll("\\", "/")] as const),
      );
      const text = clean.map((element) => element.map(([key, value]) => `${key}=${quote(value)}`).join(";")).join(",");
      expect(parseXfcc(text)).toEqual(clean.map((element) => ({ pairs: element })));
    }),
  );
});

test("whatever comes before it, the mesh's own part is the last one, or nothing is", () => {
  // All characters that mean something here come often.
  const hostile = stringMatching(/^[",;=\\ aURI]*$/);
  const own = constantFrom(
    "By=spiffe://m/hub;Hash=00;URI=spiffe://m/own",
    'By=spiffe://m/hub;Hash=00;Subject="";URI=spiffe://m/own',
    'By=spiffe://m/hub;Hash=00;Subject="CN=a,O=\\"b\\"";URI=spiffe://m/own;DNS=own.m',
  );
  assert(
    property(hostile, own, (before, mine) => {
      const last = parseXfcc(`${before},${mine}`)?.at(-1);
      const uris = last?.pairs.filter(([key]) => key === "uri").map(([, value]) => value);
      expect([undefined, ["spiffe://m/own"]]).toContainEqual(uris);
    }),
    { numRuns: 2_000 },
  );
});

test("any text is read or refused within a moment", () => {
  assert(
    property(uint8Array({ maxLength: 500 }), (bytes) => {
      // As Node reads headers.
      parseXfcc(Buffer.from(bytes).toString("latin1"));
    }),
  );
  for (const text of [
    'A="'.repeat(2_000),
    `A="${"\\".repeat(6_000)}`,
    "A=b;".repeat(1_500),
    `A=${" ".repeat(6_000)}`,
  ]) {
    const startedMs = performance.now();
    parseXfcc(text);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  }
});

function quote(value: string): string {
  return `"${value.replaceAll('"', '\\"')}"`;
}
