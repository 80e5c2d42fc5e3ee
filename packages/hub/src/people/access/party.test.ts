import { afterAll, beforeAll, expect, test } from "vitest";
import { type AccessBed, startAccess } from "./access-bed.fixture.ts";
import { isOneParty } from "./party.ts";
import type { Principal } from "./policy/index.ts";

let bed: AccessBed;
const parties = new Map<string, Principal>();
beforeAll(async () => {
  bed = await startAccess();
  for (const name of ["ana", "ben"]) {
    await bed.bind("user", name, "admin", "*");
    const { principal, token } = await bed.signIn(name);
    parties.set(name, principal);
    await make(`${name}-1`, token);
    await make(`${name}-2`, token);
  }
  await make("ana-1-1", await tokenOf("ana-1", bed.adminToken));
  await make("shared-1", bed.adminToken);
  await make("shared-2", bed.adminToken);
  const { token } = await bed.signIn("ben");
  parties.set("shared-1 by ben's token", await bed.access.authenticate(`Bearer ${await tokenOf("shared-1", token)}`));
});
afterAll(() => bed[Symbol.asyncDispose]());

async function make(name: string, by: string): Promise<void> {
  expect((await bed.call(by, "POST /api/v1/robots", { name })).status).toBe(201);
  await bed.bind("robot", name, "admin", "*");
  parties.set(name, await bed.access.authenticate(`Bearer ${await tokenOf(name, bed.adminToken)}`));
}

async function tokenOf(robot: string, by: string): Promise<string> {
  const { status, body } = await bed.call(by, `POST /api/v1/robots/${robot}/tokens`, { ttlMs: 60_000 });
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
  const partyOf = (name: string) => bed.access.partyOf(parties.get(name) as Principal);
  expect(isOneParty(partyOf(one), partyOf(other))).toBe(expected);
  expect(isOneParty(partyOf(other), partyOf(one))).toBe(expected);
});

test("a hub that starts again knows who made a robot", async () => {
  const again = await bed.reopen();
  for (const principal of parties.values()) expect(again.partyOf(principal)).toEqual(bed.access.partyOf(principal));
});
