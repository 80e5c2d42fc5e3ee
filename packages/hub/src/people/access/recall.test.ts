import { afterAll, beforeAll, expect, test } from "vitest";
import { type AccessBed, startAccess } from "./access-bed.fixture.ts";

let bed: AccessBed;
beforeAll(async () => {
  bed = await startAccess();
});
afterAll(() => bed[Symbol.asyncDispose]());

test("a person is found again with the groups of the latest sign-in, and not once the account was removed", async () => {
  const { principal } = await bed.signIn("alice", ["devs", "admins"]);
  await bed.signIn("alice", ["devs"]);
  expect(bed.access.recall(principal)).toMatchObject({ kind: "user", name: "alice", groups: ["devs"] });
  await bed.call(bed.adminToken, "DELETE /api/v1/users/alice");
  expect(bed.access.recall(principal)).toBeUndefined();
  await bed.signIn("alice", ["admins"]);
  expect(bed.access.recall(principal)).toBeUndefined();
});

test("a robot is found again as long as its token isn't revoked, as narrow as that is", async () => {
  await bed.call(bed.adminToken, "POST /api/v1/robots", { name: "ci" });
  const scope = { clusters: ["east"] };
  const made = await bed.call(bed.adminToken, "POST /api/v1/robots/ci/tokens", { ttlMs: 60_000, scope });
  const robot = await bed.access.authenticate(`Bearer ${made.body.token}`);
  expect(bed.access.recall(robot)).toMatchObject({ name: "robot:ci", scope });
  expect(bed.access.refuseAbsent(robot)).toBeUndefined();
  bed.clock.move(60_001);
  // What it decided while its token was good holds, and nothing new is begun for it.
  expect(bed.access.recall(robot)).toMatchObject({ name: "robot:ci", scope });
  expect(bed.access.refuseAbsent(robot)).toMatchObject({ code: "ACCESS_ROBOT_TOKEN_OVER" });
  await bed.call(bed.adminToken, `DELETE /api/v1/robots/ci/tokens/${robot.tokenId}`);
  expect(bed.access.recall(robot)).toBeUndefined();
  expect(bed.access.refuseAbsent(robot)).toMatchObject({ code: "ACCESS_ROBOT_TOKEN_OVER" });
  await bed.call(bed.adminToken, "DELETE /api/v1/robots/ci");
  await bed.call(bed.adminToken, "POST /api/v1/robots", { name: "ci" });
  expect(bed.access.recall(robot)).toBeUndefined();
  expect(bed.access.refuseAbsent(robot)).toBeUndefined();
});

test("nothing is begun for a person who signed in too long ago, until they sign in again", async () => {
  const { principal } = await bed.signIn("bea", ["devs"]);
  bed.clock.move(30 * 86_400_000);
  expect(bed.access.refuseAbsent(principal)).toBeUndefined();
  bed.clock.move(1_000);
  expect(bed.access.refuseAbsent(principal)).toMatchObject({ code: "ACCESS_GROUPS_OLD", httpStatus: 403 });
  expect(bed.access.recall(principal)).toMatchObject({ name: "bea", groups: ["devs"] });
  await bed.signIn("bea", []);
  expect(bed.access.refuseAbsent(principal)).toBeUndefined();
});

test("an admin token is found again for as long as it is good", async () => {
  const admin = await bed.access.authenticate(`Bearer ${bed.adminToken}`);
  expect(bed.access.recall(admin)).toMatchObject({ kind: "admin-token", tokenId: admin.tokenId });
  expect(bed.access.recall({ ...admin, tokenId: "other" })).toBeUndefined();
});
