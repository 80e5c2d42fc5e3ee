import { expect, test } from "vitest";
import { KnownSecrets } from "../redact/index.ts";
import { executeErrors } from "./errors.ts";
import { maskError } from "./outcome.ts";

test.each([3_990, 4_060, 4_080, 4_096])("an error's long text is masked before it is cut, with a value at %i", (at) => {
  const secrets = new KnownSecrets();
  secrets.add("QXJ-4711-ZKV-QXJ");
  const begin = executeErrors.COMMAND_SPEC_INVALID({ detail: "" }).message.length;
  const detail = `${"x".repeat(at - begin)}QXJ-4711-ZKV-QXJ, and ${"y".repeat(10_000)}`;
  const { message } = maskError(secrets, executeErrors.COMMAND_SPEC_INVALID({ detail }));
  expect(message.text).not.toMatch(/Q|J|Z|471/);
  expect(message.text.length).toBe(4_096);
});
