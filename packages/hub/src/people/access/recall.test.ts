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

test("a robot is found again by its account, as narrow as its token was", async () => {
  await bed.call(bed.adminToken, "POST /api/v1/robots", { name: "ci" });
  const scope = { clusters: ["east"] };
  const made = await bed.call(bed.adminToken, "POST /api/v1/robots/ci/tokens", { ttlMs: 60_000, scope });
  const robot = await bed.access.authenticate(`Bearer ${made.body.token}`);
  await bed.call(bed.adminToken, `DELETE /api/v1/robots/ci/tokens/${robot.tokenId}`);
  expect(bed.access.recall(robot)).toMatchObject({ name: "robot:ci", scope });
  await bed.call(bed.adminToken, "DELETE /api/v1/robots/ci");
  await bed.call(bed.adminToken, "POST /api/v1/robots", { name: "ci" });
  expect(bed.access.recall(robot)).toBeUndefined();
});

test("an admin token is found again for as long as it is good", async () => {
  const admin = await bed.access.authenticate(`Bearer ${bed.adminToken}`);
  expect(bed.access.recall(admin)).toMatchObject({ kind: "admin-token", tokenId: admin.tokenId });
  expect(bed.access.recall({ ...admin, tokenId: "other" })).toBeUndefined();
});
