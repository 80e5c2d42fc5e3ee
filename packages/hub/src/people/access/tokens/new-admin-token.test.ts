// A hub takes an admin token that the command put into its store.
import { expect, it } from "vitest";
import { type AccessHarness, startAccess } from "../access-harness.fixture.ts";
import { hashToken } from "./tokens.ts";

it("isn't good before its making is on record", async () => {
  let isBroken = true;
  const failures: unknown[] = [];
  await using harness = await startAccess({
    async onAdminToken() {
      if (isBroken) throw new Error("no record");
    },
    onError: (error) => void failures.push(error),
  });
  await insert(harness, "fla_new");
  const tries = (): number => {
    harness.clock.move(1_000);
    return failures.length;
  };
  await expect.poll(tries).toBeGreaterThan(1);
  expect(await status(harness, "fla_new")).toBe(401);
  isBroken = false;
  await expect.poll(() => status(harness, "fla_new")).toBe(200);
});

it("is taken by the next start, which still shows a first one that nobody has used", async () => {
  await using harness = await startAccess();
  await insert(harness, "fla_new");
  await using again = await harness.reopen();
  expect(await again.authenticate("Bearer fla_new")).toMatchObject({ kind: "admin-token", name: "admin" });
  expect(again.firstAdminToken).toMatch(/^fla_/);
  expect(await again.authenticate(`Bearer ${again.firstAdminToken}`)).toMatchObject({ name: "admin" });
});

it("has the role that was taken from former ones, and so has every other new one", async () => {
  await using harness = await startAccess();
  await harness.bind("user", "alice", "admin", "*");
  const own = harness.access.grants.bindings().find(({ subject }) => subject.kind === "admin-token");
  await harness.call(harness.adminToken, `DELETE /api/v1/bindings/${own?.id}`);
  for (const token of ["fla_one", "fla_two"]) await insert(harness, token);
  await expect.poll(() => status(harness, "fla_two")).toBe(200);
  for (const token of ["fla_one", "fla_two"])
    expect((await harness.call(token, "GET /api/v1/bindings")).status, token).toBe(200);
  expect(await status(harness, harness.adminToken)).toBe(401);
});

async function insert({ store, clock }: AccessHarness, token: string): Promise<void> {
  const row = { id: `adm_${token}`, name: "admin", secret_sha256: hashToken(token), by_command: true };
  await store.db
    .insertInto("admin_token")
    .values({ ...row, created_at: new Date(clock.now()) })
    .execute();
}

/** The room looks once a second. */
async function status({ clock, call }: AccessHarness, token: string): Promise<number> {
  clock.move(1_000);
  return (await call(token, "GET /api/v1/whoami")).status;
}
