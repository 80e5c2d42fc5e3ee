import { afterAll, beforeAll, expect, test } from "vitest";
import { type AccessHarness, startAccess } from "./access-harness.fixture.ts";
import { isOneParty } from "./party.ts";
import type { Principal } from "./policy/index.ts";

let harness: AccessHarness;
const parties = new Map<string, Principal>();
beforeAll(async () => {
  harness = await startAccess();
  for (const name of ["ana", "ben"]) {
    await harness.bind("user", name, "admin", "*");
    const { principal, token } = await harness.signIn(name);
    parties.set(name, principal);
    await make(`${name}-1`, token);
    await make(`${name}-2`, token);
  }
  await make("ana-1-1", await tokenOf("ana-1", harness.adminToken));
  await make("shared-1", harness.adminToken);
  await make("shared-2", harness.adminToken);
  const { token } = await harness.signIn("ben");
  parties.set(
    "shared-1 by ben's token",
    await harness.access.authenticate(`Bearer ${await tokenOf("shared-1", token)}`),
  );
});
afterAll(() => harness[Symbol.asyncDispose]());

async function make(name: string, by: string): Promise<void> {
  expect((await harness.call(by, "POST /api/v1/robots", { name })).status).toBe(201);
  await harness.bind("robot", name, "admin", "*");
  parties.set(name, await harness.access.authenticate(`Bearer ${await tokenOf(name, harness.adminToken)}`));
}

async function tokenOf(robot: string, by: string): Promise<string> {
  const { status, body } = await harness.call(by, `POST /api/v1/robots/${robot}/tokens`, { ttlMs: 60_000 });
  expect(status).toBe(201);
  return body.token;
}

test.each([
  ["ana", "ana", true],
  ["ana", "ben", false],
  ["ana", "ana-1", true],
  ["ana-1", "ana-2", true],
  ["ana", "ana-1-1", true],
  ["ana-2", "ana-1-1", true],
  ["ana-1", "ben-1", false],
  ["shared-1", "shared-2", false],
  ["shared-1", "ben", false],
  ["shared-1 by ben's token", "ben-2", true],
  ["shared-1 by ben's token", "shared-1", true],
])("%s and %s are one party: %s", (one, other, expected) => {
  const partyOf = (name: string) => harness.access.partyOf(parties.get(name) as Principal);
  expect(isOneParty(partyOf(one), partyOf(other))).toBe(expected);
  expect(isOneParty(partyOf(other), partyOf(one))).toBe(expected);
});

test("a hub that starts again knows who made a robot", async () => {
  const again = await harness.reopen();
  for (const principal of parties.values()) expect(again.partyOf(principal)).toEqual(harness.access.partyOf(principal));
});
