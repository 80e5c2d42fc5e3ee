import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Store } from "../../platform/store/index.ts";
import { openMemoryStore } from "../../platform/store/memory-store.fixture.ts";
import { type Access, openAccess } from "./index.ts";

let store: Store;
let access: Access;
let token: string;
beforeAll(async () => {
  store = await openMemoryStore();
  access = await openAccess({ db: store.db });
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

  it("isn't made or shown again by later starts, and stays good", async () => {
    const later = await openAccess({ db: store.db });
    expect(later.firstAdminToken).toBeUndefined();
    expect(later.authenticate(`Bearer ${token}`)).toMatchObject({ kind: "admin-token", name: "admin" });
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
