import { randomBytes } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { KnownSecrets } from "./known-secrets.ts";
import { redactText } from "./redact-json.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function measure(make: () => KnownSecrets): { secrets: KnownSecrets; mib: number } {
  const before = usedBytes();
  const secrets = make();
  return { secrets, mib: (usedBytes() - before) / 2 ** 20 };
}

function usedBytes(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function knowing(values: Iterable<string>): KnownSecrets {
  const secrets = new KnownSecrets();
  for (const value of values) secrets.add(value);
  return secrets;
}

test("1,000 Secrets of signs that all encoders change take some ten MiB, and all are masked", () => {
  const values = Array.from({ length: 1_000 }, () => `${randomBytes(12).toString("base64")}$&"<'ü`);
  const { secrets, mib } = measure(() => knowing(values));
  expect(mib).toBeLessThan(80);
  expect(redactText(secrets, values.join("\n"))).toMatch(/^[*\n]+$/);
}, 300_000);

test("a Secret of 1 MiB takes some ten MiB, and each line of it is masked", () => {
  const lines = Array.from({ length: 800 }, () => randomBytes(48).toString("base64"));
  const values = Array.from({ length: 20 }, (_, key) => lines.map((line) => `${key}${line.slice(2)}`).join("\n"));
  const { secrets, mib } = measure(() => knowing(values));
  expect(mib).toBeLessThan(120);
  for (const line of (values.at(-1) ?? "").split("\n").slice(0, 50))
    for (const text of [line, encodeURIComponent(line), Buffer.from(line).toString("base64")])
      expect(redactText(secrets, `a ${text} b`)).toBe("a *** b");
}, 300_000);
