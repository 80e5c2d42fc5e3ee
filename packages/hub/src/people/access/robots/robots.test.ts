import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AccessHarness, startAccess } from "../access-harness.fixture.ts";

let harness: AccessHarness;
beforeAll(async () => {
  harness = await startAccess();
});
afterAll(() => harness[Symbol.asyncDispose]());

const dayMs = 86_400_000;

function asAdmin(line: string, body?: object) {
  return harness.call(harness.adminToken, line, body);
}

async function makeRobot(name: string, token: object = { ttlMs: dayMs }): Promise<{ id: string; token: string }> {
  await asAdmin("POST /api/v1/robots", { name });
  const { body, status } = await asAdmin(`POST /api/v1/robots/${name}/tokens`, token);
  expect(status).toBe(201);
  return body;
}

describe("a robot", () => {
  it("has no rights until it is bound, and then those of its binding", async () => {
    const { token } = await makeRobot("ci");
    expect(token).toMatch(/^flb_[0-9a-z]{52}$/);
    expect((await harness.call(token, "GET /api/v1/whoami")).body).toMatchObject({
      name: "robot:ci",
      kind: "robot",
      bindings: [],
    });
    expect((await harness.call(token, "GET /api/v1/robots")).status).toBe(403);
    await harness.bind("robot", "ci", "admin", "*");
    expect((await harness.call(token, "GET /api/v1/robots")).status).toBe(200);
  });

  it("has tokens that are kept as hashes and shown once", async () => {
    const { token } = await makeRobot("hashed");
    const rows = await harness.store.db.selectFrom("robot_token").selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(token.slice(4));
    expect(JSON.stringify((await asAdmin("GET /api/v1/robots/hashed")).body)).not.toContain(token.slice(4));
  });

  it("shows when a token was last used, also after a restart, without a write for each use", async () => {
    const { token } = await makeRobot("used");
    expect((await asAdmin("GET /api/v1/robots/used")).body.tokens[0].lastUsedAt).toBeUndefined();
    harness.clock.move(1_000);
    const write = vi.spyOn(harness.store.db, "getExecutor");
    for (let count = 0; count < 100; count++) void harness.access.authenticate(`Bearer ${token}`);
    expect(write).not.toHaveBeenCalled();
    write.mockRestore();
    const usedAt = new Date(harness.clock.now()).toISOString();
    expect((await asAdmin("GET /api/v1/robots/used")).body.tokens[0].lastUsedAt).toBe(usedAt);
    await harness.access.robots.flush();
    await using later = await harness.reopen();
    expect(later.robots.get("used").tokens[0]?.lastUsedAt).toBe(usedAt);
  });

  it("is told when its token is over, and so are its sessions", async () => {
    const { token } = await makeRobot("brief", { ttlMs: 3_600_000 });
    const session = (await harness.call(token, "POST /api/v1/sessions")).body;
    expect(Date.parse(session.refreshTokenExpiresAt)).toBe(harness.clock.now() + 3_600_000);
    const principal = await harness.access.authenticate(`Bearer ${token}`);
    const truths: boolean[] = [];
    const stop = harness.access.onChanged(() => truths.push(harness.access.isSignedIn(principal)));
    harness.clock.move(3_600_000);
    stop();
    expect(truths).toContain(false);
    expect(() => harness.access.authenticate(`Bearer ${token}`)).toThrow(
      expect.objectContaining({ code: "AUTH_EXPIRED" }),
    );
    expect((await harness.call(session.accessToken, "GET /api/v1/whoami")).status).toBe(401);
  });

  it("loses a token that is revoked, and the sessions that began with it, at once", async () => {
    const { token, id } = await makeRobot("leaky");
    const other = (await asAdmin("POST /api/v1/robots/leaky/tokens", { ttlMs: dayMs })).body;
    const session = (await harness.call(token, "POST /api/v1/sessions")).body;
    expect((await asAdmin(`DELETE /api/v1/robots/leaky/tokens/${id}`)).status).toBe(204);
    for (const each of [token, session.accessToken])
      expect((await harness.call(each, "GET /api/v1/whoami")).status).toBe(401);
    expect((await harness.call(other.token, "GET /api/v1/whoami")).status).toBe(200);
    expect((await asAdmin(`DELETE /api/v1/robots/ci/tokens/${other.id}`)).body.code).toBe("ROBOT_TOKEN_NOT_FOUND");
  });

  it("loses with a token all that were made with it, with its sessions and by each other, of other robots too", async () => {
    const { token, id } = await makeRobot("parent");
    await asAdmin("POST /api/v1/robots", { name: "child" });
    await harness.bind("robot", "parent", "admin", "*");
    const make = async (by: string, robot: string) =>
      (await harness.call(by, `POST /api/v1/robots/${robot}/tokens`, { ttlMs: 60_000 })).body;
    const other = (await asAdmin("POST /api/v1/robots/parent/tokens", { ttlMs: dayMs })).body.token as string;
    const session = (await harness.call(token, "POST /api/v1/sessions")).body;
    const renewed = await make(token, "parent");
    const made = [renewed, await make(session.accessToken, "child"), await make(renewed.token, "child")];
    const signedIn = (await harness.call(renewed.token, "POST /api/v1/sessions")).body;
    const ended: string[] = [...made.map((each) => each.token), signedIn.accessToken, session.accessToken, token];
    const statusOf = async (each: string) => (await harness.call(each, "GET /api/v1/whoami")).status;
    expect(await Promise.all(ended.map(statusOf))).toEqual(ended.map(() => 200));
    expect((await asAdmin(`DELETE /api/v1/robots/parent/tokens/${id}`)).status).toBe(204);
    expect(await Promise.all(ended.map(statusOf))).toEqual(ended.map(() => 401));
    expect(await statusOf(other)).toBe(200);
    expect((await asAdmin("GET /api/v1/robots/child")).body.tokens).toEqual([]);
    await using later = await harness.reopen();
    expect([later.robots.get("child").tokens, later.robots.get("parent").tokens.length]).toEqual([[], 1]);
  });

  it("that is removed takes along the tokens of others that were made with its own", async () => {
    const { token } = await makeRobot("maker");
    await asAdmin("POST /api/v1/robots", { name: "made" });
    await harness.bind("robot", "maker", "admin", "*");
    const made = (await harness.call(token, "POST /api/v1/robots/made/tokens", { ttlMs: 60_000 })).body;
    const session = (await harness.call(made.token, "POST /api/v1/sessions")).body;
    expect((await asAdmin("DELETE /api/v1/robots/maker")).status).toBe(204);
    for (const each of [made.token, session.accessToken])
      expect((await harness.call(each, "GET /api/v1/whoami")).status).toBe(401);
    expect((await asAdmin("GET /api/v1/robots/made")).body.tokens).toEqual([]);
  });

  it("that is removed is nobody, and one of the same name later has none of its rights", async () => {
    const { token } = await makeRobot("gone");
    await harness.bind("robot", "gone", "operator", "*");
    const session = (await harness.call(token, "POST /api/v1/sessions")).body;
    expect((await asAdmin("DELETE /api/v1/robots/gone")).status).toBe(204);
    for (const each of [token, session.accessToken])
      expect((await harness.call(each, "GET /api/v1/whoami")).status).toBe(401);
    const next = await makeRobot("gone");
    expect((await harness.call(next.token, "GET /api/v1/whoami")).body.bindings).toEqual([]);
  });

  it("has tokens that live no longer than it may, and is limited by the one it asks with", async () => {
    await asAdmin("POST /api/v1/robots", { name: "bounded", ttlMs: dayMs });
    const long = await asAdmin("POST /api/v1/robots/bounded/tokens", { ttlMs: dayMs + 1 });
    expect([long.status, long.body.code]).toEqual([422, "ROBOT_TOKEN_TOO_LONG"]);
    const { token } = (await asAdmin("POST /api/v1/robots/bounded/tokens", { ttlMs: dayMs / 2 })).body;
    await asAdmin("PUT /api/v1/roles/renewer", { hubRules: [{ verbs: ["create"], resources: ["robots/tokens"] }] });
    await harness.bind("robot", "bounded", "renewer", "*");
    expect((await harness.call(token, "POST /api/v1/robots/bounded/tokens", { ttlMs: dayMs })).body.code).toBe(
      "ROBOT_TOKEN_TOO_LONG",
    );
    expect((await harness.call(token, "POST /api/v1/robots/bounded/tokens", { ttlMs: 1_000 })).status).toBe(201);
  });

  it("with a token of a scope gets no rights beyond it, in sessions either, and gives none", async () => {
    const scope = { verbs: ["get", "list", "create"] };
    const { token } = await makeRobot("narrow", { ttlMs: dayMs, scope });
    await harness.bind("robot", "narrow", "admin", "*");
    const session = (await harness.call(token, "POST /api/v1/sessions")).body;
    for (const each of [token, session.accessToken]) {
      expect((await harness.call(each, "GET /api/v1/robots")).status).toBe(200);
      expect((await harness.call(each, "DELETE /api/v1/robots/ci")).status).toBe(403);
      const binding = { subject: { kind: "user", name: "x" }, role: "viewer", clusters: { all: true } };
      expect((await harness.call(each, "POST /api/v1/bindings", binding)).body.code).toBe("ACCESS_ESCALATION");
      const wide = await harness.call(each, "POST /api/v1/robots/narrow/tokens", { ttlMs: 1_000 });
      expect(wide.body.code).toBe("ACCESS_ESCALATION");
      const equal = await harness.call(each, "POST /api/v1/robots/narrow/tokens", {
        ttlMs: 1_000,
        scope: { verbs: ["get"] },
      });
      expect(equal.status).toBe(201);
    }
  });

  it.each([
    [{ name: "Not A Label" }, "REQUEST_INVALID"],
    [{ name: "x", ttlMs: 1 }, "REQUEST_INVALID"],
    [{ name: "x", ttlMs: 400 * dayMs }, "REQUEST_INVALID"],
    [{ name: "x", admin: true }, "REQUEST_INVALID"],
    [{ name: "ci" }, "ROBOT_EXISTS"],
  ])("isn't made of %j", async (body, code) => {
    expect((await asAdmin("POST /api/v1/robots", body)).body.code).toBe(code);
  });

  it.each([{}, { ttlMs: 0 }, { ttlMs: dayMs, scope: { clusters: [] } }, { ttlMs: dayMs, scope: { verbs: ["GET"] } }])(
    "gets no token for %j",
    async (body) => {
      expect((await asAdmin("POST /api/v1/robots/ci/tokens", body)).body.code).toBe("REQUEST_INVALID");
    },
  );
});
