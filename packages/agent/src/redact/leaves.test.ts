import { expect, test } from "vitest";
import { KnownSecrets } from "./known-secrets.ts";
import { leavesOf, leavesOfText } from "./leaves.ts";
import { redactText } from "./redact-json.ts";

test.each<[string, string, readonly string[]]>([
  [
    "JSON",
    '{"tok":"s3cr3t","list":["one-of",{"deep":"two\\nlines"}],"pin":48151623}',
    ["s3cr3t", "one-of", "two\nlines", "48151623"],
  ],
  ["JSON with many digits", '{"id":123456789012345678901234567890}', ["123456789012345678901234567890"]],
  ["JSON that is cut", '{"tok":"s3cr3t","more":"un', ["s3cr3t"]],
  ["several documents of JSON", '{"a":"first-one"}\n{"a":"second"}\n', ["first-one", "second"]],
  ["a JSON text", '"quo\\"ted"', ['quo"ted']],
  ["YAML", "db:\n  pass: hunter22\n  hosts: [alpha, 'be''ta']\n- x", ["hunter22", "alpha", "be'ta"]],
  ["YAML with blocks", "key: |\n  first line\n  second\nnext: >-\n  fold\n  ed\n", ["first line\nsecond\n", "fold ed"]],
  ["YAML with anchors and tags", "a: &x s3cr3t\nb: *x\nc: !!str 007812\n", ["s3cr3t", "007812"]],
  ["YAML of several documents", "a: first-one\n---\na: second\n", ["first-one", "second"]],
  ["an environment", "# note\nexport TOKEN=abc=def\nNAME = 'quo ted'\nSHORT=x\n", ["abc=def", "quo ted"]],
  ["a connection string", "Server=db1.local;Password=pa=ss; User Id=admin", ["db1.local", "pa=ss", "admin"]],
  ["a URL", "postgres://app:p%40ss%2Fword@db:5432/x", ["p%40ss%2Fword", "p@ss/word"]],
  ["base64 of text", Buffer.from("user:s3cr3t ü").toString("base64"), ["user:s3cr3t ü"]],
])("leaves of %s are found", (_kind, text, leaves) => {
  expect([...leavesOfText(text)]).toEqual(expect.arrayContaining([...leaves]));
});

test.each(["password", "correct horse battery staple", "deadbeefcafe", 'c4n"ry\\pass/word+ü', "MIGHAgEAMBMGCg=="])(
  "%j has no leaves",
  (text) => expect([...leavesOfText(text)]).toEqual([]),
);

test("names and words that all logs have are no leaves", () => {
  const text = JSON.stringify({ enabled: true, none: null, replicas: 3, mode: "default", level: "INFO", on: "true" });
  expect([...leavesOfText(text)]).toEqual([]);
  expect([...leavesOf(JSON.parse(text))]).toEqual([]);
});

test("leaves inside of leaves are masked", () => {
  const auth = Buffer.from("robot:pa55phrase").toString("base64");
  const secrets = new KnownSecrets();
  secrets.add(JSON.stringify({ config: JSON.stringify({ auths: { "r.example.com": { auth } } }) }));
  expect(redactText(secrets, `login ${auth} as robot:pa55phrase`)).toBe("login *** as ***");
});

test("a leaf of up to three characters is masked where it is all that a line has", () => {
  const secrets = new KnownSecrets();
  secrets.add('{"pin":"q7","tok":"s3cr3t"}');
  expect(redactText(secrets, "q7 seq7uence\nq7\ns3cr3t")).toBe("q7 seq7uence\n***\n***");
});

test("a value that is nested too deep is masked as a whole", () => {
  for (const value of ["[".repeat(30_000), `a: ${"{".repeat(30_000)}`, '{"a":'.repeat(10_000)]) {
    const secrets = new KnownSecrets();
    secrets.add(value);
    expect(redactText(secrets, `x ${value} y`)).toMatch(/^x \*\*\*( y)?$/);
  }
}, 120_000);
