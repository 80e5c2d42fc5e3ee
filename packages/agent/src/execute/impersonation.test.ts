import { expect, test } from "vitest";
import { actAs, isServiceAccount } from "./impersonation.ts";

const request = { method: "GET" as const, path: "/" };
const user = ["Impersonate-User", "system:serviceaccount:team/deployer".replace("/", ":")];

test("the agent alone says as whom a request is sent", () => {
  const forged = ["impersonate-user", "admin", "Impersonate-Group", "system:masters", "Impersonate_User", "x"];
  expect(actAs({ ...request, headers: ["accept", "a", ...forged] }, "team/deployer").headers).toEqual([
    "accept",
    "a",
    ...user,
  ]);
  expect(actAs({ ...request, headers: { accept: "a", " Impersonate-Uid": "1" } }, undefined).headers).toEqual([
    "accept",
    "a",
  ]);
  expect(actAs({ ...request, headers: { accept: ["a", "b"], none: undefined } }, undefined).headers).toEqual([
    "accept",
    "a",
    "accept",
    "b",
  ]);
  expect(actAs({ ...request, headers: new Map([["accept", "a"]]) }, "team/deployer").headers).toEqual([
    "accept",
    "a",
    ...user,
  ]);
  expect(actAs(request, "team/deployer").headers).toEqual(user);
});

test.each([
  ["team/deployer", true],
  ["team/ci.deployer-2", true],
  ["deployer", false],
  ["team/a/b", false],
  ["/deployer", false],
  ["team/", false],
  ["Team/deployer", false],
  ["team/x:y", false],
  ["team/x\n", false],
])("%j is an account: %s", (text, expected) => {
  expect(isServiceAccount(text)).toBe(expected);
});
