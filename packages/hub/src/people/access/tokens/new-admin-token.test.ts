// A hub takes an admin token that the command put into its store.
import { expect, it } from "vitest";
import { type AccessBed, startAccess } from "../access-bed.fixture.ts";
import { hashToken } from "./tokens.ts";

it("isn't good before its making is on record", async () => {
  let isBroken = true;
  const failures: unknown[] = [];
  await using bed = await startAccess({
    async onAdminToken() {
      if (isBroken) throw new Error("no record");
    },
    onError: (error) => void failures.push(error),
  });
  await insert(bed, "fla_new");
  const tries = (): number => {
    bed.clock.move(1_000);
    return failures.length;
  };
  await expect.poll(tries, { timeout: 30_000 }).toBeGreaterThan(1);
  expect(await status(bed, "fla_new")).toBe(401);
  isBroken = false;
  await expect.poll(() => status(bed, "fla_new"), { timeout: 30_000 }).toBe(200);
});

it("is taken by the next start, which still shows a first one that nobody has used", async () => {
  await using bed = await startAccess();
  await insert(bed, "fla_new");
  await using again = await bed.reopen();
  expect(await again.authenticate("Bearer fla_new")).toMatchObject({ kind: "admin-token", name: "admin" });
  expect(again.firstAdminToken).toMatch(/^fla_/);
  expect(await again.authenticate(`Bearer ${again.firstAdminToken}`)).toMatchObject({ name: "admin" });
});

it("has the role that was taken from former ones, and so has every other new one", async () => {
  await using bed = await startAccess();
  await bed.bind("user", "alice", "admin", "*");
  const own = bed.access.grants.bindings().find(({ subject }) => subject.kind === "admin-token");
  await bed.call(bed.adminToken, `DELETE /api/v1/bindings/${own?.id}`);
  for (const token of ["fla_one", "fla_two"]) await insert(bed, token);
  await expect.poll(() => status(bed, "fla_two"), { timeout: 30_000 }).toBe(200);
  for (const token of ["fla_one", "fla_two"])
    expect((await bed.call(token, "GET /api/v1/bindings")).status, token).toBe(200);
  expect(await status(bed, bed.adminToken)).toBe(401);
});

async function insert({ store, clock }: AccessBed, token: string): Promise<void> {
  const row = { id: `adm_${token}`, name: "admin", secret_sha256: hashToken(token), by_command: true };
  await store.db
    .insertInto("admin_token")
    .values({ ...row, created_at: new Date(clock.now()) })
    .execute();
}

/** The room looks once a second. */
async function status({ clock, call }: AccessBed, token: string): Promise<number> {
  clock.move(1_000);
  return (await call(token, "GET /api/v1/whoami")).status;
}
