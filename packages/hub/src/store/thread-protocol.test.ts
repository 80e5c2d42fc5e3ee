import { expect, test } from "vitest";
import { listBuffers, ownBytes, readReport, reportError } from "./thread-protocol.ts";

test("an error arrives with its name, its stack and its plain fields, and without a statement's parameters", () => {
  class DatabaseError extends Error {}
  const thrown = Object.assign(new DatabaseError("duplicate key"), {
    code: "23505",
    severity: "ERROR",
    constraint: "cluster_pkey",
    detail: undefined,
    params: ["a secret"],
  });
  thrown.name = "error";
  const arrived = readReport(structuredClone(reportError(thrown)));
  expect(arrived).toBeInstanceOf(Error);
  expect(arrived).toMatchObject({ message: "duplicate key", code: "23505", severity: "ERROR" });
  expect(arrived).toMatchObject({ constraint: "cluster_pkey", name: "error", stack: thrown.stack });
  expect(arrived).not.toHaveProperty("params");
});

test.each([
  ["a text", "a text"],
  [undefined, "undefined"],
  [{ name: "ExitStatus", message: "Program terminated with exit(1)", status: 1 }, "Program terminated with exit(1)"],
])("what isn't an error arrives as one: %j", (thrown, message) => {
  expect(readReport(structuredClone(reportError(thrown)))).toMatchObject({ message });
});

test("bytes of a larger buffer are sent as a copy of their own, and stay whole here", () => {
  const shared = new Uint8Array([1, 2, 3, 4]);
  const { values, moved } = ownBytes(["text", shared.subarray(1, 3), null]);
  const sent = structuredClone(values, { transfer: moved });
  expect(sent).toEqual(["text", new Uint8Array([2, 3]), null]);
  expect((sent[1] as Uint8Array).buffer.byteLength).toBe(2);
  expect([...shared]).toEqual([1, 2, 3, 4]);
});

test("bytes that have a buffer to themselves are moved, others are not", () => {
  const whole = new Uint8Array([1]);
  const part = new Uint8Array(8).subarray(2);
  expect(listBuffers([{ whole, again: whole, part, text: "x" }, { whole: null }])).toEqual([whole.buffer]);
});
