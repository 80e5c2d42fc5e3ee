import { afterAll, beforeAll, expect, test } from "vitest";
import { type AccessHarness, startAccess } from "./access-harness.fixture.ts";

let harness: AccessHarness;
beforeAll(async () => {
  harness = await startAccess();
});
afterAll(() => harness[Symbol.asyncDispose]());

test("a person is found again with the groups of the latest sign-in, and not once the account was removed", async () => {
  const { principal } = await harness.signIn("alice", ["devs", "admins"]);
  await harness.signIn("alice", ["devs"]);
  expect(harness.access.recall(principal)).toMatchObject({ kind: "user", name: "alice", groups: ["devs"] });
  await harness.call(harness.adminToken, "DELETE /api/v1/users/alice");
  expect(harness.access.recall(principal)).toBeUndefined();
  await harness.signIn("alice", ["admins"]);
  expect(harness.access.recall(principal)).toBeUndefined();
});

test("a robot is found again as long as its token isn't revoked, as narrow as that is", async () => {
  await harness.call(harness.adminToken, "POST /api/v1/robots", { name: "ci" });
  const scope = { clusters: ["east"] };
  const made = await harness.call(harness.adminToken, "POST /api/v1/robots/ci/tokens", { ttlMs: 60_000, scope });
  const robot = await harness.access.authenticate(`Bearer ${made.body.token}`);
  expect(harness.access.recall(robot)).toMatchObject({ name: "robot:ci", scope });
  expect(harness.access.refuseAbsent(robot)).toBeUndefined();
  harness.clock.move(60_001);
  // What it decided while its token was good holds, and nothing new is begun for it.
  expect(harness.access.recall(robot)).toMatchObject({ name: "robot:ci", scope });
  expect(harness.access.refuseAbsent(robot)).toMatchObject({ code: "ACCESS_ROBOT_TOKEN_OVER" });
  await harness.call(harness.adminToken, `DELETE /api/v1/robots/ci/tokens/${robot.tokenId}`);
  expect(harness.access.recall(robot)).toBeUndefined();
  expect(harness.access.refuseAbsent(robot)).toMatchObject({ code: "ACCESS_ROBOT_TOKEN_OVER" });
  await harness.call(harness.adminToken, "DELETE /api/v1/robots/ci");
  await harness.call(harness.adminToken, "POST /api/v1/robots", { name: "ci" });
  expect(harness.access.recall(robot)).toBeUndefined();
  expect(harness.access.refuseAbsent(robot)).toBeUndefined();
});

test("nothing is begun for a person who signed in too long ago, until they sign in again", async () => {
  const { principal } = await harness.signIn("bea", ["devs"]);
  harness.clock.move(30 * 86_400_000);
  expect(harness.access.refuseAbsent(principal)).toBeUndefined();
  harness.clock.move(1_000);
  expect(harness.access.refuseAbsent(principal)).toMatchObject({ code: "ACCESS_GROUPS_OLD", httpStatus: 403 });
  expect(harness.access.recall(principal)).toMatchObject({ name: "bea", groups: ["devs"] });
  await harness.signIn("bea", []);
  expect(harness.access.refuseAbsent(principal)).toBeUndefined();
});

test("an admin token is found again for as long as it is good", async () => {
  const admin = await harness.access.authenticate(`Bearer ${harness.adminToken}`);
  expect(harness.access.recall(admin)).toMatchObject({ kind: "admin-token", tokenId: admin.tokenId });
  expect(harness.access.recall({ ...admin, tokenId: "other" })).toBeUndefined();
});
