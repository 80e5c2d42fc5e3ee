// A token whose time is over is told from one that the hub doesn't know, also when the hub has forgotten it.
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AccessHarness, startAccess } from "../access-harness.fixture.ts";
import { createToken, saysItIsOver } from "./tokens.ts";

const minuteMs = 60_000;
let harness: AccessHarness;
beforeAll(async () => {
  harness = await startAccess();
  // Until it is used, each start puts another one in its place.
  await harness.access.authenticate(`Bearer ${harness.adminToken}`);
});
afterAll(() => harness[Symbol.asyncDispose]());

describe("a token that is over says so", () => {
  it("when its session was renewed, and its row is gone, at a hub that started since too", async () => {
    const { token, refresh } = await harness.signIn("renewed");
    harness.clock.move(15 * minuteMs);
    await harness.access.sessions.refresh(refresh);
    expect(await harness.store.db.selectFrom("session_token").select("kind").execute()).toHaveLength(3);
    await using again = await harness.reopen();
    for (const access of [harness.access, again])
      await expect(refusalOf(() => access.authenticate(`Bearer ${token}`))).resolves.toBe("AUTH_EXPIRED");
  });

  it("when its session is over and forgotten, and so does its refresh token", async () => {
    const { token, refresh } = await harness.signIn("old");
    harness.clock.move(24 * 60 * minuteMs);
    await harness.store.db.deleteFrom("session").execute();
    await using again = await harness.reopen();
    for (const access of [harness.access, again]) {
      await expect(refusalOf(() => access.authenticate(`Bearer ${token}`))).resolves.toBe("AUTH_EXPIRED");
      await expect(refusalOf(() => access.sessions.refresh(refresh))).resolves.toBe("SESSION_ENDED");
    }
  });

  it("when it was revoked before, or its robot removed", async () => {
    await harness.call(harness.adminToken, "POST /api/v1/robots", { name: "brief" });
    const made = await harness.call(harness.adminToken, "POST /api/v1/robots/brief/tokens", { ttlMs: minuteMs });
    await harness.call(harness.adminToken, "DELETE /api/v1/robots/brief");
    expect((await harness.call(made.body.token, "GET /api/v1/whoami")).body.code).toBe("AUTH_INVALID");
    harness.clock.move(minuteMs);
    expect((await harness.call(made.body.token, "GET /api/v1/whoami")).body.code).toBe("AUTH_EXPIRED");
  });
});

describe("nobody learns whether a token was ever given out", () => {
  it("as one that nobody gave out gets the same answer, without a look into the database", async () => {
    const { token } = createToken({ kind: "session", endsMs: harness.clock.now() - 1 });
    const ask = vi.spyOn(harness.store.db, "getExecutor");
    await expect(refusalOf(() => harness.access.authenticate(`Bearer ${token}`))).resolves.toBe("AUTH_EXPIRED");
    expect(ask).not.toHaveBeenCalled();
    ask.mockRestore();
  });

  it("and one that isn't over yet is as unknown as any other", async () => {
    const { token } = createToken({ kind: "robot", endsMs: harness.clock.now() + minuteMs });
    await expect(refusalOf(() => harness.access.authenticate(`Bearer ${token}`))).resolves.toBe("AUTH_INVALID");
  });
});

it("an end that somebody writes into a token makes it neither good nor over", async () => {
  const { token } = await harness.signIn("forger");
  const { token: later } = createToken({ kind: "session", endsMs: harness.clock.now() + 10 * minuteMs });
  const { token: earlier } = createToken({ kind: "session", endsMs: 1 });
  for (const other of [later, earlier]) {
    const forged = other.slice(0, 14) + token.slice(14);
    await expect(refusalOf(() => harness.access.authenticate(`Bearer ${forged}`))).resolves.toBe("AUTH_INVALID");
  }
});

it("tokens without an end never say that they are over, and differ", () => {
  const made = Array.from({ length: 1_000 }, () => createToken({ kind: "admin" }).token);
  expect(new Set(made).size).toBe(1_000);
  for (const token of made)
    for (const prefix of ["fla_", "fls_", "flb_"])
      expect(saysItIsOver(prefix + token.slice(4), Number.MAX_SAFE_INTEGER)).toBe(false);
});

it("tokens with the same end differ, and are over from just that moment on", () => {
  const endsMs = Date.UTC(2030, 0, 1, 2, 3, 4, 567);
  for (const kind of ["session", "refresh", "robot"] as const) {
    const made = Array.from({ length: 1_000 }, () => createToken({ kind, endsMs }).token);
    expect(new Set(made).size).toBe(1_000);
    for (const token of made) {
      expect(token).toMatch(/^fl[srb]_[0-9a-hjkmnp-tv-z]{52}$/);
      expect([saysItIsOver(token, endsMs - 1), saysItIsOver(token, endsMs)]).toEqual([false, true]);
    }
  }
});

async function refusalOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return "none";
  } catch (error) {
    return (error as { code: string }).code;
  }
}
