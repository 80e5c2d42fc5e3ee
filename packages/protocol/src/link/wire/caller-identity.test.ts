import { expect, test } from "vitest";
import { callerGroups, parseIdentity } from "./caller-identity.ts";

test.each([
  [callerGroups.few, true],
  [callerGroups.most, true],
  [callerGroups.most + 1, false],
])("a caller with %i groups is read: %s", (count, isRead) => {
  const groups = Array.from({ length: count }, (_, at) => `g${at}`);
  expect(parseIdentity({ user: "alice", groups }) !== "malformed").toBe(isRead);
});
