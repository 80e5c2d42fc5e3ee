// Requests for a role, by people who would like more than they may have.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessHarness, type HarnessBody, startAccess } from "../access-harness.fixture.ts";
import type { Ended } from "../service.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const ended: Ended[] = [];
let harness: AccessHarness;
const tokens = new Map<string, string>();
beforeAll(async () => {
  harness = await startAccess({
    onEnded: async (news) => void ended.push(news),
    times: { accessTtlMs: 60 * dayMs, maxMs: 60 * dayMs },
  });
  for (const name of ["alice", "bob", "carol"]) tokens.set(name, (await harness.signIn(name)).token);
  await harness.bind("user", "bob", "admin", "*");
});
afterAll(() => harness[Symbol.asyncDispose]());

describe("an access request", () => {
  it("that another person approves gives the role from then on, until its end", async () => {
    const { principal } = await harness.signIn("alice");
    const { id } = await ask("alice");
    expect(harness.access.grants.of(principal)).toEqual([]);
    move(hourMs);
    const { status, body } = await decide("bob", id, "approve", { comment: "for INC-7" });
    const endsAt = new Date(harness.clock.now() + hourMs).toISOString();
    expect([status, body.state]).toEqual([
      200,
      {
        kind: "approved",
        by: "bob",
        at: expect.any(String),
        binding: expect.any(String),
        endsAt,
        comment: "for INC-7",
      },
    ]);
    expect(harness.access.grants.of(principal)).toMatchObject([
      { role: { name: "viewer" }, binding: { endsAt, reason: "INC-7", request: id, createdBy: "bob" } },
    ]);
    move(hourMs);
    expect(harness.access.grants.of(principal)).toEqual([]);
    expect((await show("alice", id)).state).toMatchObject({ kind: "approved" });
  });

  it("is decided once, also by two at once", async () => {
    const { id } = await ask("alice");
    const answers = await Promise.all([
      decide("bob", id, "approve"),
      decide("admin", id, "deny"),
      decide("alice", id, "cancel"),
    ]);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ body }) => body.code === "ACCESS_REQUEST_ENDED")).toHaveLength(2);
    const given = harness.access.grants.bindings().filter(({ request }) => request === id);
    const { state } = await show("alice", id);
    expect(given).toHaveLength(state.kind === "approved" ? 1 : 0);
    for (const { id: binding } of given) await harness.call(tokens.get("bob"), `DELETE /api/v1/bindings/${binding}`);
  });

  it("is never approved or denied by the requester, whatever they may bind", async () => {
    const { id } = await ask("bob");
    for (const how of ["approve", "deny"]) expect((await decide("bob", id, how)).body.code).toBe("ACCESS_REQUEST_OWN");
    expect((await decide("bob", id, "cancel")).body.state).toMatchObject({ kind: "cancelled" });
  });

  it("is never approved by a robot that the requester made", async () => {
    await harness.call(tokens.get("bob"), "POST /api/v1/robots", { name: "puppet" });
    const subject = { kind: "robot", name: "puppet" };
    await harness.call(harness.adminToken, "POST /api/v1/bindings", {
      subject,
      role: "admin",
      clusters: { all: true },
    });
    const made = await harness.call(tokens.get("bob"), "POST /api/v1/robots/puppet/tokens", { ttlMs: hourMs });
    const { id } = await ask("bob");
    const answer = await harness.call(made.body.token, `POST /api/v1/access/requests/${id}/approve`, {});
    expect([answer.status, answer.body.code]).toEqual([403, "ACCESS_REQUEST_OWN"]);
    await decide("bob", id, "cancel");
  });

  it("is granted for less than asked, and never for longer", async () => {
    const { id } = await ask("alice");
    expect((await decide("bob", id, "approve", { ttlMs: hourMs + 1 })).body.code).toBe("ACCESS_REQUEST_TOO_LONG");
    const { body } = await decide("bob", id, "approve", { ttlMs: hourMs / 2 });
    expect(Date.parse(body.state.endsAt) - harness.clock.now()).toBe(hourMs / 2);
    move(hourMs);
  });

  it("is granted by nobody who couldn't bind it: not the role, not the clusters, not for so long", async () => {
    const binder = { hubRules: [{ verbs: ["list", "create"], resources: ["bindings"] }] };
    await harness.call(harness.adminToken, "PUT /api/v1/roles/binder", binder);
    await harness.bind("user", "carol", "binder", "*");
    await harness.bind("user", "carol", "viewer", "east");
    const codes: string[] = [];
    for (const more of [{ role: "operator" }, { clusters: { names: ["east", "west"] } }, { clusters: { all: true } }]) {
      const { id } = await ask("alice", more);
      codes.push((await decide("carol", id, "approve")).body.code);
      await decide("alice", id, "cancel");
    }
    expect(codes).toEqual(Array(3).fill("ACCESS_ESCALATION"));

    const subject = { kind: "user", name: "carol" };
    const west = { subject, role: "viewer", clusters: { names: ["west"] }, ttlMs: hourMs / 2 };
    await harness.call(harness.adminToken, "POST /api/v1/bindings", west);
    const { id } = await ask("alice", { clusters: { names: ["west"] } });
    expect((await decide("carol", id, "approve")).body.code).toBe("ACCESS_ESCALATION");
    expect((await decide("carol", id, "approve", { ttlMs: hourMs / 4 })).status).toBe(200);
    move(hourMs);
  });

  it("is granted with recording only by those who are recorded themselves", async () => {
    await harness.signIn("rec");
    const { token } = await harness.signIn("rec");
    tokens.set("rec", token);
    const subject = { kind: "user", name: "rec" };
    const body = { subject, role: "admin", clusters: { all: true }, record: true };
    await harness.call(harness.adminToken, "POST /api/v1/bindings", body);
    const { id } = await ask("alice", { role: "operator" });
    expect((await decide("rec", id, "approve")).body.code).toBe("ACCESS_UNRECORDED");
    const { body: done } = await decide("rec", id, "approve", { record: true });
    const given = harness.access.grants.bindings().find((one) => one.id === done.state.binding);
    expect(given).toMatchObject({ record: true });
    move(hourMs);
  });

  it("is shown to its user and to those who may decide, and is unknown to others", async () => {
    const { id } = await ask("alice");
    const { token } = await harness.signIn("nosy");
    tokens.set("nosy", token);
    for (const how of ["", "/cancel", "/approve", "/deny"]) {
      const line = `${how === "" ? "GET" : "POST"} /api/v1/access/requests/${id}${how}`;
      const { status, body } = await harness.call(token, line, how === "" ? undefined : {});
      expect([status, body.code], how).toEqual(
        how === "" || how === "/cancel" ? [404, "ACCESS_REQUEST_NOT_FOUND"] : [403, "ACCESS_DENIED"],
      );
    }
    expect((await list("nosy")).map((one) => one.id)).toEqual([]);
    expect((await list("bob", "?state=pending")).map((one) => one.id)).toEqual([id]);
    expect((await list("alice", "?state=pending")).map((one) => one.id)).toEqual([id]);
    expect((await decide("bob", id, "cancel")).body.code).toBe("ACCESS_REQUEST_NOT_FOUND");
    await decide("alice", id, "cancel");
  });

  it("expires after 24 hours without an answer, is granted by nobody then, and is put on record once", async () => {
    const { id } = await ask("alice");
    move(dayMs);
    expect((await decide("bob", id, "approve")).body.code).toBe("ACCESS_REQUEST_ENDED");
    expect((await show("alice", id)).state).toMatchObject({ kind: "expired" });
    expect((await list("alice", "?state=pending")).map((one) => one.id)).toEqual([]);
    expect((await list("alice", "?state=expired")).map((one) => one.id)).toContain(id);
    await expect.poll(() => ended.filter((one) => one.id === id), { timeout: 60_000 }).toHaveLength(1);
  });

  it("goes with its user, and isn't the next one's who has the name", async () => {
    tokens.set("dave", (await harness.signIn("dave")).token);
    const { id } = await ask("dave");
    await harness.call(harness.adminToken, "DELETE /api/v1/users/dave");
    expect((await decide("bob", id, "approve")).body.code).toBe("ACCESS_REQUEST_NOT_FOUND");
    tokens.set("dave", (await harness.signIn("dave")).token);
    expect(await list("dave")).toEqual([]);
  });

  it("of a user whose name changed gives the role to the account, and not to who has the old name", async () => {
    tokens.set("old", (await harness.signIn("old")).token);
    const { id } = await ask("old");
    const person = { issuer: "https://idp.test", subject: "sub-old", name: "renamed", groups: [] };
    await harness.access.users.recordSignIn(person);
    expect((await decide("bob", id, "approve")).status).toBe(200);
    const given = harness.access.grants.bindings().find(({ request }) => request === id);
    expect(given?.subject).toEqual({ kind: "user", name: "renamed" });
    move(hourMs);
  });

  it("is made at one hub and granted at another", async () => {
    const other = await harness.beside();
    await other.access.catchUp();
    const { id } = await ask("alice");
    const line = `POST /api/v1/access/requests/${id}/approve`;
    const token = tokens.get("bob");
    expect((await other.call(token, line, {})).body.state).toMatchObject({ kind: "approved" });
    const { principal } = await harness.signIn("alice");
    await harness.access.catchUp();
    expect(harness.access.grants.of(principal)).toHaveLength(1);
    expect((await show("alice", id)).state).toMatchObject({ kind: "approved" });
    move(hourMs);
    expect([harness.access.grants.of(principal), other.access.grants.of(principal)]).toEqual([[], []]);
  });
});

describe("who asks", () => {
  it("is a user: robots and the admin token have other ways", async () => {
    const made = await harness.call(harness.adminToken, "POST /api/v1/access/requests", request({}));
    expect(made.body.code).toBe("ACCESS_REQUEST_USERS_ONLY");
  });

  it.each([
    { ttlMs: 31 * dayMs },
    { ttlMs: undefined },
    { reason: "" },
    { reason: "one\ntwo" },
    { reason: undefined },
    { clusters: {} },
    { clusters: { names: Array.from({ length: 101 }, (_, index) => `c${index}`) } },
    { user: "carol" },
  ])("can't ask for %j", async (more) => {
    const made = await harness.call(tokens.get("alice"), "POST /api/v1/access/requests", request(more));
    expect([made.status, made.body.code]).toEqual([400, "REQUEST_INVALID"]);
  });

  it("has ten requests that wait, and a hundred that ended; others notice nothing", async () => {
    for (let round = 0; round < 10; round += 1) await ask("alice");
    const more = await harness.call(tokens.get("alice"), "POST /api/v1/access/requests", request({}));
    expect([more.status, more.body.code]).toEqual([429, "ACCESS_REQUEST_TOO_MANY"]);
    const others = await ask("bob");
    expect(others.state).toEqual({ kind: "pending" });
    await decide("bob", others.id, "cancel");
    for (const { id } of await list("alice", "?state=pending")) await decide("alice", id, "cancel");
    for (let round = 0; round < 95; round += 1) await decide("alice", (await ask("alice")).id, "cancel");
    expect((await list("alice")).length).toBeLessThanOrEqual(101);
  });
});

function request(more: object): object {
  return { role: "viewer", clusters: { names: ["east"] }, ttlMs: hourMs, reason: "INC-7", ...more };
}

async function ask(user: string, more: object = {}): Promise<HarnessBody> {
  const { status, body } = await harness.call(tokens.get(user), "POST /api/v1/access/requests", request(more));
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

async function decide(
  user: string,
  id: string,
  how: string,
  body: object = {},
): Promise<{ status: number; body: HarnessBody }> {
  const token = user === "admin" ? harness.adminToken : tokens.get(user);
  const sent = how === "cancel" ? undefined : body;
  return await harness.call(token, `POST /api/v1/access/requests/${id}/${how}`, sent);
}

async function show(user: string, id: string): Promise<HarnessBody> {
  return (await harness.call(tokens.get(user), `GET /api/v1/access/requests/${id}`)).body;
}

async function list(user: string, query = ""): Promise<{ id: string }[]> {
  return (await harness.call(tokens.get(user), `GET /api/v1/access/requests${query}`)).body.items;
}

function move(byMs: number): void {
  harness.clock.move(byMs);
}
