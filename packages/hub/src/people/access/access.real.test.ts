import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { type Access, type AccessOptions, openAccess, type Principal } from "./index.ts";
import { createLoneChanges } from "./ledger/lone-changes.fixture.ts";

let store: Store;
let access: Access;
let token: string;
beforeAll(async () => {
  store = await openMemoryStore();
  access = await openAccess({ ...alone(store) });
  token = access.firstAdminToken ?? "none";
});
afterAll(() => store[Symbol.asyncDispose]());

describe("the admin's token", () => {
  it("is made at the first start, is long, and is kept as a hash only", async () => {
    expect(token).toMatch(/^fla_[0-9a-z]{52}$/);
    const rows = await store.db.selectFrom("admin_token").selectAll().execute();
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
  });

  it("is another one after each start until it is used, and only the last is good", async () => {
    await using own = await openMemoryStore();
    const first = await openAccess({ ...alone(own) });
    await expect(tryIn(first, first.firstAdminToken?.slice(0, -1))).rejects.toMatchObject(invalid);
    await using second = await openAccess({ ...alone(own) });
    expect(second.firstAdminToken).not.toBe(first.firstAdminToken);
    expect(await own.db.selectFrom("admin_token").select("id").execute()).toHaveLength(1);
    for (const access of [first, second]) {
      // The first hub, if it still runs, doesn't take its own for good either.
      await expect(tryIn(access, first.firstAdminToken)).rejects.toMatchObject(invalid);
    }
    expect(await tryIn(second, second.firstAdminToken)).toMatchObject({ kind: "admin-token", name: "admin" });
  });

  it("isn't made or shown again once it was used, and stays good", async () => {
    await access.authenticate(`Bearer ${token}`);
    const later = await openAccess({ ...alone(store) });
    expect(later.firstAdminToken).toBeUndefined();
    expect(later.authenticate(`Bearer ${token}`)).toMatchObject({ kind: "admin-token", name: "admin" });
  });

  it("isn't good while its first use can't be put on record", async () => {
    const own = await openMemoryStore();
    const access = await openAccess({ ...alone(own) });
    await own[Symbol.asyncDispose]();
    await expect(tryIn(access, access.firstAdminToken)).rejects.toThrow();
    await expect(tryIn(access, access.firstAdminToken)).rejects.toThrow();
  });

  it("is the one in its file, as long as nobody has used that", async () => {
    await using own = await openMemoryStore();
    await using folder = await mkdtempDisposable(join(tmpdir(), "fairlead-kept-"));
    const firstTokenFile = join(folder.path, "admin-token");
    const first = await openAccess({ ...alone(own), firstTokenFile });
    await writeFile(firstTokenFile, `${first.firstAdminToken}\n`);
    const second = await openAccess({ ...alone(own), firstTokenFile });
    expect(second.firstAdminToken).toBe(first.firstAdminToken);
    await writeFile(firstTokenFile, "of someone else");
    const third = await openAccess({ ...alone(own), firstTokenFile });
    expect(third.firstAdminToken).toMatch(/^fla_/);
    expect(third.firstAdminToken).not.toBe(first.firstAdminToken);
    await writeFile(firstTokenFile, `${third.firstAdminToken}\n`);
    await tryIn(third, third.firstAdminToken);
    expect((await openAccess({ ...alone(own), firstTokenFile })).firstAdminToken).toBeUndefined();
  });

  it.each(["Bearer", "bearer", "BEARER "])("is taken after %j", (scheme) => {
    expect(access.authenticate(`${scheme} ${token}`)).toMatchObject({ name: "admin" });
  });

  it.each([undefined, ""])("is asked for when the header is %j", (header) => {
    expect(() => access.authenticate(header)).toThrow(
      expect.objectContaining({ code: "AUTH_REQUIRED", httpStatus: 401 }),
    );
  });

  it("is refused when anything about it differs, without being repeated", () => {
    const wrong = [
      "Bearer",
      "Bearer x",
      `Basic ${token}`,
      `Bearer ${token}x`,
      `Bearer ${token.slice(0, -1)}`,
      `Bearer ${token.toUpperCase()}`,
      `Bearer ${token} ${token}`,
      `Bearer ${"x".repeat(10_000)}`,
      token,
    ];
    for (const header of wrong) {
      expect(() => access.authenticate(header)).toThrow(
        expect.objectContaining({ code: "AUTH_INVALID", httpStatus: 401, message: expect.not.stringContaining(token) }),
      );
    }
  });

  it("is checked without waiting, thousands of times in a blink", () => {
    const started = performance.now();
    for (let count = 0; count < 10_000; count++) void access.authenticate(`Bearer ${token}`);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

const invalid = { code: "AUTH_INVALID" };

/** Also when it throws at once. */
async function tryIn(access: Access, token = "none"): Promise<Principal> {
  return await access.authenticate(`Bearer ${token}`);
}

function alone({ db }: Store): Pick<AccessOptions, "db" | "changes"> {
  return { db, changes: createLoneChanges(db) };
}
