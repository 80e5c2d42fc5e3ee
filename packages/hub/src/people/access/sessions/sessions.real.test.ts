import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AccessHarness, startAccess } from "../access-harness.fixture.ts";

const minuteMs = 60_000;
let harness: AccessHarness;
beforeAll(async () => {
  harness = await startAccess();
});
afterAll(() => harness[Symbol.asyncDispose]());

function authenticate(token: string) {
  return harness.access.authenticate(`Bearer ${token}`);
}

describe("a session", () => {
  it("is exchanged for the admin's token, keeps its rights, and isn't exchanged again", async () => {
    const { status, body } = await harness.call(harness.adminToken, "POST /api/v1/sessions");
    expect([status, body.principal.kind, body.principal.name]).toEqual([201, "admin-token", "admin"]);
    expect(body.principal.bindings).toEqual([{ role: "admin", clusters: "all" }]);
    expect(body.accessToken).toMatch(/^fls_[0-9a-z]{52}$/);
    expect(body.refreshToken).toMatch(/^flr_[0-9a-z]{52}$/);
    expect((await harness.call(body.accessToken, "GET /api/v1/bindings")).status).toBe(200);
    const again = await harness.call(body.accessToken, "POST /api/v1/sessions");
    expect([again.status, again.body.code]).toEqual([409, "SESSION_NEEDS_TOKEN"]);
    expect((await harness.call(body.refreshToken, "GET /api/v1/whoami")).body.code).toBe("AUTH_INVALID");
  });

  it("is known by the provider's name for it after a restart, too", async () => {
    const signIn = { kind: "user", name: "sid", uid: "usr_sid", groups: [], method: "oidc", oidcSid: "there" } as const;
    const { sessionId } = await harness.access.sessions.create(signIn);
    await using again = await harness.reopen();
    expect(again.sessions.get(sessionId)).toMatchObject({ name: "sid", oidcSid: "there" });
  });

  it("is kept as hashes only", async () => {
    const { token, refresh } = await harness.signIn("hashed");
    const rows = await harness.store.db.selectFrom("session_token").selectAll().execute();
    expect(rows.length).toBeGreaterThan(1);
    for (const secret of [token, refresh]) expect(JSON.stringify(rows)).not.toContain(secret.slice(4));
  });

  it("has access tokens of 15 minutes, and ends after 12 hours however often it is refreshed", async () => {
    let { token, refresh } = await harness.signIn("long");
    const startMs = harness.clock.now();
    while (harness.clock.now() + 15 * minuteMs < startMs + 12 * 60 * minuteMs) {
      harness.clock.move(15 * minuteMs - 1);
      expect(authenticate(token)).toMatchObject({ name: "long" });
      harness.clock.move(1);
      expect(() => authenticate(token)).toThrow(expect.objectContaining({ code: "AUTH_EXPIRED", httpStatus: 401 }));
      const issued = await harness.access.sessions.refresh(refresh);
      ({ accessToken: token, refreshToken: refresh } = issued);
      expect(issued.refreshExpiresMs).toBe(startMs + 12 * 60 * minuteMs);
    }
    harness.clock.move(15 * minuteMs);
    await expect(harness.access.sessions.refresh(refresh)).rejects.toMatchObject({ code: "SESSION_ENDED" });
  });

  it("has a refresh token for one use, which stays good for a minute because an answer can be lost", async () => {
    const { refresh } = await harness.signIn("lossy");
    await harness.access.sessions.refresh(refresh);
    harness.clock.move(59_000);
    const { body, status } = await harness.call(undefined, "POST /api/v1/sessions/refresh", { refreshToken: refresh });
    expect(status).toBe(200);
    expect(authenticate(body.accessToken)).toMatchObject({ name: "lossy" });
  });

  it("goes on in two tabs that refresh at once, and again with what each of them got", async () => {
    const { refresh, principal } = await harness.signIn("tabs");
    const { sessions } = harness.access;
    const first = await Promise.all([sessions.refresh(refresh), sessions.refresh(refresh)]);
    harness.clock.move(14 * minuteMs);
    const next = await Promise.all(first.map(({ refreshToken }) => sessions.refresh(refreshToken)));
    const all = [...first, ...next];
    expect(new Set(all.flatMap((one) => [one.accessToken, one.refreshToken])).size).toBe(8);
    for (const { accessToken } of all) expect(authenticate(accessToken)).toBe(principal);
    await sessions.end(({ name }) => name === "tabs");
    for (const { accessToken, refreshToken } of all) {
      expect(() => authenticate(accessToken)).toThrow(expect.objectContaining({ code: "AUTH_INVALID" }));
      await expect(sessions.refresh(refreshToken)).rejects.toMatchObject({ code: "SESSION_REFRESH_INVALID" });
    }
  });

  it("is ended when a refresh token comes again later: someone else has it, too", async () => {
    const { refresh, principal } = await harness.signIn("robbed");
    const thief = await harness.access.sessions.refresh(refresh);
    harness.clock.move(61_000);
    const { body } = await harness.call(undefined, "POST /api/v1/sessions/refresh", { refreshToken: refresh });
    expect(body.code).toBe("SESSION_REFRESH_REUSED");
    expect(() => authenticate(thief.accessToken)).toThrow(expect.objectContaining({ code: "AUTH_INVALID" }));
    await expect(harness.access.sessions.refresh(thief.refreshToken)).rejects.toMatchObject({ httpStatus: 401 });
    expect(harness.access.isSignedIn(principal)).toBe(false);
  });

  it.each([150, 1_000])(
    "is ended for a thief who renews %i times, so that the first token is forgotten",
    async (times) => {
      const { refresh, principal } = await harness.signIn(`flushed-${times}`);
      const { sessions } = harness.access;
      let thief = await sessions.refresh(refresh);
      for (let count = 1; count < times && harness.access.isSignedIn(principal); count++) {
        thief = await sessions.refresh(thief.refreshToken).catch(() => thief);
      }
      harness.clock.move(61_000);
      const { body } = await harness.call(undefined, "POST /api/v1/sessions/refresh", { refreshToken: refresh });
      expect(body.code).toMatch(/^SESSION_REFRESH_(REUSED|INVALID)$/);
      expect(harness.access.isSignedIn(principal)).toBe(false);
      await expect(sessions.refresh(thief.refreshToken)).rejects.toMatchObject({ httpStatus: 401 });
    },
  );

  it("keeps a bounded number of tokens, however often one refresh token is sent in its minute", async () => {
    const { refresh, principal } = await harness.signIn("eager");
    let last = await harness.access.sessions.refresh(refresh);
    for (let count = 0; count < 150; count++) last = await harness.access.sessions.refresh(refresh);
    const { sessionId = "" } = principal;
    const rows = await harness.store.db
      .selectFrom("session_token")
      .where("session_id", "=", sessionId)
      .select("kind")
      .execute();
    expect(rows.length).toBeLessThanOrEqual(2 * 101 + 1);
    expect(authenticate(last.accessToken)).toMatchObject({ name: "eager" });
    expect((await harness.access.sessions.refresh(last.refreshToken)).principal).toBe(principal);
  });

  it("is over for everyone at once when it is signed out, and stays over", async () => {
    const { token, refresh, principal } = await harness.signIn("leaving");
    const changed = vi.fn();
    const stop = harness.access.onChanged(changed);
    expect(harness.access.isSignedIn(principal)).toBe(true);
    expect((await harness.call(token, "DELETE /api/v1/sessions/current")).status).toBe(204);
    expect(changed).toHaveBeenCalled();
    stop();
    expect(harness.access.isSignedIn(principal)).toBe(false);
    expect(() => authenticate(token)).toThrow(expect.objectContaining({ code: "AUTH_INVALID" }));
    await expect(harness.access.sessions.refresh(refresh)).rejects.toMatchObject({ code: "SESSION_REFRESH_INVALID" });
    await using later = await harness.reopen();
    await expect(later.authenticate(`Bearer ${token}`)).rejects.toMatchObject({ code: "AUTH_INVALID" });
  });

  it("tells listeners when its time is over, without anyone asking", async () => {
    const { principal } = await harness.signIn("timed");
    const truths: boolean[] = [];
    const stop = harness.access.onChanged(() => truths.push(harness.access.isSignedIn(principal)));
    harness.clock.move(12 * 60 * minuteMs - 1);
    expect(truths).not.toContain(false);
    harness.clock.move(1);
    stop();
    expect(truths.at(-1)).toBe(false);
  });

  it("survives a restart of the hub, with what was used of it", async () => {
    const { token, refresh, principal } = await harness.signIn("patient", ["dev"]);
    const next = await harness.access.sessions.refresh(refresh);
    await using later = await harness.reopen();
    expect(later.authenticate(`Bearer ${token}`)).toEqual(principal);
    expect(later.authenticate(`Bearer ${next.accessToken}`)).toMatchObject({ name: "patient", groups: ["dev"] });
    harness.clock.move(61_000);
    await expect(later.sessions.refresh(refresh)).rejects.toMatchObject({ code: "SESSION_REFRESH_REUSED" });
  });

  it("is listed for its owner, and for admins; nobody else sees or ends it", async () => {
    const mine = await harness.signIn("owner");
    const other = await harness.signIn("nosy");
    const own = await harness.call(mine.token, "GET /api/v1/sessions");
    expect(own.body.items).toMatchObject([{ user: "owner", isCurrent: true, method: "oidc" }]);
    expect((await harness.call(other.token, "GET /api/v1/sessions?user=owner")).body.code).toBe("ACCESS_DENIED");
    const { id } = own.body.items[0];
    expect((await harness.call(other.token, `DELETE /api/v1/sessions/${id}`)).body.code).toBe("SESSION_NOT_FOUND");
    expect((await harness.call(harness.adminToken, "GET /api/v1/sessions?user=owner")).body.items).toHaveLength(1);
    expect((await harness.call(harness.adminToken, `DELETE /api/v1/sessions/${id}`)).status).toBe(204);
    expect(harness.access.isSignedIn(mine.principal)).toBe(false);
  });

  it("costs next to nothing to look up among thousands", async () => {
    const { token } = await harness.signIn("quick");
    const started = performance.now();
    for (let count = 0; count < 10_000; count++) void authenticate(token);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it("that the store can't forget now is over all the same, and is forgotten later", async () => {
    const { token, principal } = await harness.signIn("stuck");
    const write = vi.spyOn(harness.store.db, "transaction").mockImplementation(() => {
      throw new Error("disk full");
    });
    await expect(harness.access.sessions.end(({ name }) => name === "stuck")).rejects.toThrow("disk full");
    write.mockRestore();
    expect(harness.access.isSignedIn(principal)).toBe(false);
    expect(() => authenticate(token)).toThrow();
    const left = async (): Promise<unknown[]> => {
      harness.clock.move(30_000);
      return await harness.store.db.selectFrom("session").select("id").where("name", "=", "stuck").execute();
    };
    await expect.poll(left).toEqual([]);
  });
});

describe("refresh tokens that are guessed", () => {
  it("are refused without a look from the sixtieth in a minute on, and others go on", async () => {
    await using fresh = await startAccess();
    const { refresh } = await fresh.signIn("honest");
    const guess = () => fresh.call(undefined, "POST /api/v1/sessions/refresh", { refreshToken: "flr_guess" });
    for (let count = 0; count < 60; count++) expect((await guess()).status).toBe(401);
    expect((await guess()).body.code).toBe("AUTH_TOO_MANY_FAILURES");
    expect(await guess()).toMatchObject({ status: 429, headers: { "retry-after": "60" } });
    fresh.clock.move(minuteMs);
    const { status } = await fresh.call(undefined, "POST /api/v1/sessions/refresh", { refreshToken: refresh });
    expect(status).toBe(200);
  });
});
