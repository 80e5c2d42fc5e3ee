// Two hubs on one database, with a bus between them that brings everything and with one that brings nothing.
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AccessHarness, type HarnessHub, startAccess } from "./access-harness.fixture.ts";

const hourMs = 3_600_000;
let harness: AccessHarness;
let other: HarnessHub;
beforeEach(async () => {
  harness = await startAccess({ hasOthers: true });
  other = await harness.beside();
});
afterEach(() => harness[Symbol.asyncDispose]());

describe.each(["deliver", "lose"] as const)("over a bus whose messages it will %s,", (fate) => {
  beforeEach(() => {
    harness.hall.fate = () => fate;
  });

  it("a session that is ended at one hub is over at the other, and its streams are cut there", async () => {
    const { token, principal } = await harness.signIn("alice");
    expect(await other.access.authenticate(`Bearer ${token}`)).toEqual(principal);
    await untilStill();
    const changed = vi.fn();
    other.access.onChanged(changed);
    await harness.call(token, "DELETE /api/v1/sessions/current");
    await untilSecondsLater(() => !other.access.isSignedIn(principal));
    expect(changed).toHaveBeenCalledTimes(1);
    expect(await status(other, token)).toBe(401);
  });

  it("a user who is removed at one hub is gone at the other", async () => {
    await harness.bind("user", "alice", "viewer", "*");
    const { token, principal } = await harness.signIn("alice");
    await untilSecondsLater(() => other.access.users.find("alice") !== undefined);
    expect(await status(other, token)).toBe(200);
    await harness.call(harness.adminToken, "DELETE /api/v1/users/alice");
    await untilSecondsLater(() => !other.access.isSignedIn(principal));
    await untilSecondsLater(() => other.access.grants.bindings().every(({ subject }) => subject.kind !== "user"));
    expect(other.access.users.find("alice")).toBeUndefined();
  });

  it("a robot's token, a robot, a binding and a role that go at one hub go at the other", async () => {
    const binding = await harness.bind("robot", "ci", "viewer", "east");
    const [first, second] = [await newToken(harness, "ci"), await newToken(harness, "ci")];
    const principal = await other.access.authenticate(`Bearer ${second.token}`);
    expect(await status(other, first.token)).toBe(200);
    const changed = vi.fn();
    other.access.onChanged(changed);
    const mayList = (): boolean => other.access.may(principal, { verb: "list", resource: "clusters", cluster: "east" });
    await untilSecondsLater(mayList);

    await harness.call(harness.adminToken, `DELETE /api/v1/robots/ci/tokens/${first.id}`);
    await untilSecondsLater(() => changed.mock.calls.length === 1);
    expect(await status(other, first.token)).toBe(401);
    await harness.call(harness.adminToken, `DELETE /api/v1/bindings/${binding}`);
    await untilSecondsLater(() => !mayList());

    await harness.call(harness.adminToken, "PUT /api/v1/roles/lister", {
      hubRules: [{ verbs: ["list"], resources: ["clusters"] }],
    });
    const subject = { kind: "robot", name: "ci" };
    await harness.call(harness.adminToken, "POST /api/v1/bindings", {
      subject,
      role: "lister",
      clusters: { all: true },
    });
    await untilSecondsLater(mayList);
    await harness.call(harness.adminToken, "PUT /api/v1/roles/lister", { hubRules: [] });
    await untilSecondsLater(() => !mayList());

    await harness.call(harness.adminToken, "DELETE /api/v1/robots/ci");
    await untilSecondsLater(() => !other.access.isSignedIn(principal));
    expect(await status(other, second.token)).toBe(401);
    expect((await other.call(harness.adminToken, "GET /api/v1/robots")).body.items).toEqual([]);
  });

  it("nobody is told of what gives rights, or of what is the same as before", async () => {
    await untilStill();
    const changed = vi.fn();
    for (const hub of [harness, other]) hub.access.onChanged(changed);
    await harness.bind("user", "alice", "viewer", "*");
    await harness.signIn("alice");
    await newToken(harness, "ci", { isNew: true });
    await untilSecondsLater(() => other.access.robots.find("ci") !== undefined);
    await untilSecondsLater(() => other.access.sessions.list().length === 1);
    for (const hub of [harness, other]) await hub.access.catchUp();
    expect(changed).not.toHaveBeenCalled();
  });

  it("admin tokens that end at one hub end at the other", async () => {
    const session = (await harness.call(harness.adminToken, "POST /api/v1/sessions")).body.accessToken;
    expect(await status(other, session)).toBe(200);
    await harness.store.db.updateTable("admin_token").set({ revoked_at: new Date(), revoked_by: "test" }).execute();
    for (const token of [harness.adminToken, session]) {
      await expect.poll(() => secondLater(() => status(other, token))).toBe(401);
      await expect.poll(() => secondLater(() => status(harness, token))).toBe(401);
    }
  });
});

describe("a token that another hub gave out", () => {
  beforeEach(() => {
    // And nobody looks before the clock moves.
    harness.hall.fate = () => "lose";
  });

  it("is good at once, of a user who is new as well, also after a refresh anywhere", async () => {
    const { token, refresh } = await harness.signIn("alice", ["dev"]);
    expect((await other.call(token, "GET /api/v1/whoami")).body).toMatchObject({ name: "alice", groups: ["dev"] });
    const next = await other.access.sessions.refresh(refresh);
    expect(await status(harness, next.accessToken)).toBe(200);
    const last = await harness.access.sessions.refresh(next.refreshToken);
    expect(await status(other, last.accessToken)).toBe(200);
    expect(await status(other, token)).toBe(200);
  });

  it("is good at once when it is a robot's or the first admin's, and over at the same time", async () => {
    const { token } = await newToken(harness, "ci", { isNew: true });
    expect((await other.call(token, "GET /api/v1/whoami")).body).toMatchObject({ name: "robot:ci" });
    expect(await status(other, harness.adminToken)).toBe(200);
    harness.clock.jump(hourMs);
    for (const hub of [harness, other])
      expect((await hub.call(token, "GET /api/v1/whoami")).body.code).toBe("AUTH_EXPIRED");
  });

  it("is refused when it is over, by its right name, also by a hub that has never seen it", async () => {
    const { token } = await harness.signIn("alice");
    harness.clock.jump(hourMs);
    expect((await other.call(token, "GET /api/v1/whoami")).body.code).toBe("AUTH_EXPIRED");
    const ended = await harness.signIn("bob");
    await harness.access.sessions.end(({ name }) => name === "bob");
    expect((await other.call(ended.token, "GET /api/v1/whoami")).body.code).toBe("AUTH_INVALID");
  });

  it("isn't looked for twice when nobody knows it", async () => {
    const guess = `fls_${"0".repeat(52)}`;
    expect(await status(other, guess)).toBe(401);
    const ask = vi.spyOn(harness.store.db, "getExecutor");
    expect(await status(other, guess)).toBe(401);
    expect(await status(other, "fls_short")).toBe(401);
    expect(ask).not.toHaveBeenCalled();
    ask.mockRestore();
  });

  it("renews for two hubs that refresh it at once, and ends the session when it comes again later, wherever", async () => {
    const { refresh, principal } = await harness.signIn("alice");
    const issued = await Promise.all(
      [harness, other, harness, other].map(({ access }) => access.sessions.refresh(refresh)),
    );
    for (const { accessToken } of issued)
      for (const hub of [harness, other]) expect(await status(hub, accessToken)).toBe(200);
    const used = await harness.store.db
      .selectFrom("session_token")
      .select("used_at")
      .where("used_at", "is not", null)
      .execute();
    expect(used).toHaveLength(1);
    // Neither hub is told of the first use otherwise.
    harness.clock.jump(61_000);
    await expect(other.access.sessions.refresh(refresh)).rejects.toMatchObject({ code: "SESSION_REFRESH_REUSED" });
    for (const { refreshToken } of issued)
      await expect(harness.access.sessions.refresh(refreshToken)).rejects.toMatchObject({ httpStatus: 401 });
    await untilSecondsLater(() => !harness.access.isSignedIn(principal));
  });

  it("of a session that ends at one hub while the other refreshes it, is good nowhere afterwards", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { refresh, principal } = await harness.signIn(`user-${round}`);
      const [renewed] = await Promise.allSettled([
        other.access.sessions.refresh(refresh),
        harness.access.sessions.end(({ name }) => name === `user-${round}`),
      ]);
      const token = renewed.status === "fulfilled" ? renewed.value.accessToken : "none";
      await untilSecondsLater(() => ![harness, other].some(({ access }) => access.isSignedIn(principal)));
      for (const hub of [harness, other]) expect(await status(hub, token)).toBe(401);
    }
  });

  it("ends with all of its user's, whichever hub is told to", async () => {
    const [one, two] = [await harness.signIn("alice"), await harness.signIn("alice")];
    await other.call(harness.adminToken, "POST /api/v1/users/alice/sign-out");
    for (const { token } of [one, two]) expect(await status(other, token)).toBe(401);
    await untilSecondsLater(() => ![one, two].some(({ principal }) => harness.access.isSignedIn(principal)));
  });
});

describe("two hubs that change rights at once", () => {
  beforeEach(() => {
    harness.hall.fate = () => "lose";
  });

  it("never take away the last admin", async () => {
    const [mine] = harness.access.grants.bindings();
    const id = await harness.bind("user", "alice", "admin", "*");
    const outcomes = await Promise.allSettled([
      harness.access.grants.unbind(mine?.id ?? ""),
      other.access.grants.unbind(id),
    ]);
    expect(outcomes.filter(({ status: is }) => is === "rejected")).toMatchObject([
      { reason: { code: "ACCESS_LAST_ADMIN" } },
    ]);
    expect(await harness.store.db.selectFrom("access_binding").select("id").execute()).toHaveLength(1);
  });

  it("label no cluster for whom another hub has just bound", async () => {
    const maker = { hubRules: [{ verbs: ["create"], resources: ["clusters"] }] };
    await harness.call(harness.adminToken, "PUT /api/v1/roles/maker", maker);
    await harness.bind("user", "alice", "maker", "*");
    const { principal } = await harness.signIn("alice");
    await other.access.catchUp();
    const made: string[] = [];
    const label = (name: string): Promise<unknown> =>
      other.access.giveLabels(principal, { name, labels: { env: "prod" } }, async () => made.push(name));
    await label("before");

    const clusters = { selector: { matchLabels: { env: "prod" } } };
    const subject = { kind: "group", name: "shop" };
    await harness.call(harness.adminToken, "POST /api/v1/bindings", { subject, role: "viewer", clusters });
    await expect(label("after")).rejects.toMatchObject({ code: "ACCESS_ESCALATION" });
    expect(made).toEqual(["before"]);
  });

  it("give nothing that the giver has no longer", async () => {
    await harness.bind("user", "alice", "admin", "*");
    const alice = await harness.signIn("alice");
    const lost = harness.access.grants.bindings().find(({ subject }) => subject.name === "alice");
    expect(await status(other, alice.token)).toBe(200);
    await harness.access.grants.unbind(lost?.id ?? "");
    const given = { subject: { kind: "user", name: "bob" }, role: "admin", clusters: { all: true } };
    const { body } = await other.call(alice.token, "POST /api/v1/bindings", given);
    expect(body.code).toBe("ACCESS_ESCALATION");
  });

  it("make one of two twins: bindings, robots and users", async () => {
    const given = { subject: { kind: "user", name: "bob" }, role: "viewer", clusters: { all: true } };
    const bound = await both((hub) => hub.call(harness.adminToken, "POST /api/v1/bindings", given));
    expect(bound.map(({ status: is }) => is).sort()).toEqual([201, 409]);
    const robots = await both((hub) => hub.call(harness.adminToken, "POST /api/v1/robots", { name: "ci" }));
    expect(robots.map(({ status: is }) => is).sort()).toEqual([201, 409]);
    const person = { issuer: "i", subject: "s", name: "carol", groups: [] };
    const [one, two] = await both(({ access }) => access.users.recordSignIn(person));
    expect(one?.user.uid).toBe(two?.user.uid);
    await expect(
      both(({ access }, index) => access.users.recordSignIn({ ...person, subject: `t${index}`, name: "dave" })),
    ).rejects.toMatchObject({ code: "USER_NAME_TAKEN" });
  });

  it("bind no role that goes, and no robot that goes", async () => {
    for (let round = 0; round < 5; round += 1) {
      await harness.call(harness.adminToken, "PUT /api/v1/roles/brief", { hubRules: [] });
      await harness.call(harness.adminToken, "POST /api/v1/robots", { name: "brief" });
      const subject = { kind: "robot", name: "brief" };
      await Promise.all([
        harness.call(harness.adminToken, "DELETE /api/v1/roles/brief"),
        other.call(harness.adminToken, "POST /api/v1/bindings", { subject, role: "brief", clusters: { all: true } }),
        harness.call(harness.adminToken, "DELETE /api/v1/robots/brief"),
      ]);
      await other.access.catchUp();
      const { grants, robots } = other.access;
      for (const binding of grants.bindings().filter(({ role }) => role === "brief")) {
        expect(grants.roles.has("brief")).toBe(true);
        expect(robots.find("brief")).toBeDefined();
        await other.access.grants.unbind(binding.id);
      }
    }
  });

  it("see what the other has made, though nobody has told them", async () => {
    await harness.call(harness.adminToken, "POST /api/v1/robots", { name: "ci" });
    expect((await other.call(harness.adminToken, "POST /api/v1/robots/ci/tokens", { ttlMs: hourMs })).status).toBe(201);
  });
});

describe("the first admin's token", () => {
  it("is one for all hubs that start, and good at each", async () => {
    await using own = await startAccess({ hasOthers: true });
    const hubs = [own, await own.beside(), await own.beside()];
    expect(hubs.map(({ access }) => access.firstAdminToken)).toEqual([own.adminToken, undefined, undefined]);
    expect(hubs.map(({ access }) => access.isFirstTokenElsewhere)).toEqual([false, true, true]);
    for (const hub of [...hubs].reverse()) expect(await status(hub, own.adminToken)).toBe(200);
    for (const hub of hubs)
      await expect.poll(() => secondLater(() => hub.access.isFirstTokenElsewhere, own)).toBe(false);
  });

  it("is replaced by a start when the hub that has shown it is gone, and others take the next", async () => {
    await using own = await startAccess({ hasOthers: true });
    await own.store.db
      .updateTable("admin_token")
      .set({ shown_at: new Date(0) })
      .execute();
    const next = await own.beside();
    expect(next.access.firstAdminToken).toMatch(/^fla_/);
    await expect.poll(() => secondLater(() => status(own, own.adminToken), own)).toBe(401);
    expect(await status(own, next.access.firstAdminToken ?? "")).toBe(200);
  });

  it("that the command made is put on record by one hub, and taken by all", async () => {
    const recorded: string[] = [];
    await using own = await startAccess({ hasOthers: true, onAdminToken: async ({ id }) => void recorded.push(id) });
    const hubs = [own, await own.beside(), await own.beside()];
    const { hashToken } = await import("./tokens/tokens.ts");
    await own.store.db
      .insertInto("admin_token")
      .values({
        id: "adm_new",
        name: "admin",
        secret_sha256: hashToken("fla_new"),
        by_command: true,
        created_at: new Date(),
      })
      .execute();
    for (const hub of hubs) await expect.poll(() => secondLater(() => status(hub, "fla_new"), own)).toBe(200);
    expect(recorded).toEqual(["adm_new"]);
  });
});

it("uses of a robot's token at one hub are seen at the other", async () => {
  const { token } = await newToken(harness, "ci", { isNew: true });
  await status(other, token);
  const usedAt = new Date(harness.clock.now()).toISOString();
  await Promise.all([other.access.robots.flush(), harness.access.robots.flush()]);
  await harness.access.robots.flush();
  expect(harness.access.robots.get("ci").tokens).toMatchObject([{ lastUsedAt: usedAt }]);
});

function both<T>(work: (hub: HarnessHub, index: number) => Promise<T>): Promise<T[]> {
  return Promise.all([harness, other].map(work));
}

async function newToken(hub: HarnessHub, robot: string, options: { readonly isNew?: boolean } = {}) {
  if (options.isNew) await hub.call(harness.adminToken, "POST /api/v1/robots", { name: robot });
  const { body } = await hub.call(harness.adminToken, `POST /api/v1/robots/${robot}/tokens`, { ttlMs: hourMs });
  return body as { readonly id: string; readonly token: string };
}

async function status(hub: HarnessHub, token: string): Promise<number> {
  return (await hub.call(token, "GET /api/v1/whoami")).status;
}

/** Waits for what a few more looks at the database will show. */
async function untilSecondsLater(isSo: () => boolean): Promise<void> {
  await expect.poll(() => secondLater(isSo)).toBe(true);
}

function secondLater<T>(look: () => T, { clock } = harness): T {
  clock.move(1_000);
  return look();
}

/** Until both hubs have read all that was committed so far. */
async function untilStill(): Promise<void> {
  for (const { access } of [harness, other]) await access.catchUp();
}
