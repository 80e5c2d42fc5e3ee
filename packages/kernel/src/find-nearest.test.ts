import { expect, test } from "vitest";
import { findNearest } from "./find-nearest.ts";

const names = ["--listen", "--agent-listen", "--data-dir"];

test.each([
  ["--lisen", "--listen"],
  ["--LISTEN", "--listen"],
  ["--agent-lisstn", "--agent-listen"],
  ["--datadir", "--data-dir"],
  ["--kubeconfig", undefined],
  ["x".repeat(65), undefined],
])("%s most likely stands for %s", (written, meant) => {
  expect(findNearest(written, names)).toBe(meant);
});
