import { readRelease } from "@fairlead/kube";
import { expect, test } from "vitest";
import { KnownSecrets, redactJson } from "../../redact/index.ts";
import type { SecretValues } from "../types.ts";
import { reportRelease } from "./report.ts";
import type { HelmSpec } from "./types.ts";

test("a chart's long notes are masked before they are cut", () => {
  const known = new KnownSecrets();
  known.add("canary-4711-canary");
  const secrets = { redact: (json: unknown) => redactJson(known, json) } as SecretValues;
  const spec = { release: "web", namespace: "shop", action: { type: "upgrade", notes: true } } as unknown as HelmSpec;
  const notes = `${"x".repeat(16 * 1024 - 9)}canary-4711-canary`;
  const release = readRelease({ name: "web", namespace: "shop", version: 1, info: { status: "deployed", notes } });
  const told = reportRelease({ task: { spec, secrets }, release, heads: [] });
  expect(told.notes).toBe(`${"x".repeat(16 * 1024 - 9)}***`);
});
