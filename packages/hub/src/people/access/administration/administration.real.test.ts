import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type AccessHarness, startAccess } from "../access-harness.fixture.ts";

let harness: AccessHarness;
beforeAll(async () => {
  harness = await startAccess();
});
afterAll(() => harness[Symbol.asyncDispose]());

const dayMs = 86_400_000;
const pods = { verb: "get", isResource: true, path: "/api/v1/namespaces/a/pods/b", apiGroup: "", apiVersion: "v1" };
const getPod = { ...pods, namespace: "a", resource: "pods", subresource: "", name: "b" };

function asAdmin(line: string, body?: object) {
  return harness.call(harness.adminToken, line, body);
}

describe("bindings and roles", () => {
  it("count at once, and so does taking them away", async () => {
    const { principal } = await harness.signIn("alice", ["team"]);
    const ask = () => harness.access.authorize({ principal, cluster: "east", attributes: getPod }).allowed;
    const changed = vi.fn();
    const stop = harness.access.onChanged(changed);
    expect(ask()).toBe(false);
    const id = await harness.bind("group", "team", "viewer", "east");
    expect(ask()).toBe(true);
    changed.mockClear();
    expect((await asAdmin(`DELETE /api/v1/bindings/${id}`)).status).toBe(204);
    expect(changed).toHaveBeenCalled();
    stop();
    expect(ask()).toBe(false);
  });

  it("follow a role that changes and labels that change", async () => {
    const { principal } = await harness.signIn("labelled");
    const ask = () => harness.access.authorize({ principal, cluster: "east", attributes: getPod }).allowed;
    const rule = (verb: string) => ({ clusterRules: [{ verbs: [verb], resources: ["pods"] }] });
    expect((await asAdmin("PUT /api/v1/roles/shifting", rule("get"))).body).toMatchObject({ isBuiltIn: false });
    const clusters = { selector: { matchLabels: { env: "prod" } } };
    const subject = { kind: "user", name: "labelled" };
    await asAdmin("POST /api/v1/bindings", { subject, role: "shifting", clusters });
    expect(ask()).toBe(true);
    harness.labels.set("east", { env: "test" });
    expect(ask()).toBe(false);
    harness.labels.set("east", { env: "prod" });
    expect(ask()).toBe(true);
    await asAdmin("PUT /api/v1/roles/shifting", rule("list"));
    expect(ask()).toBe(false);
  });

  it("take a group away from whoever asks next, and never show one user's groups for another's", async () => {
    const { principal: one } = await harness.signIn("grouped", ["team-x"]);
    const { principal: other } = await harness.signIn("other", ["team-x"]);
    const ask = (principal = one) => harness.access.authorize({ principal, cluster: "east", attributes: getPod });
    const rule = { clusterRules: [{ verbs: ["get"], resources: ["pods"] }] };
    await asAdmin("PUT /api/v1/roles/grouping", { ...rule, groups: ["many", "few"] });
    await harness.bind("group", "team-x", "grouping", "east");
    for (const time of ["first", "again"]) {
      expect(ask(), time).toMatchObject({ identity: { user: "grouped", uid: one.uid, groups: ["many", "few"] } });
      expect(ask(other), time).toMatchObject({ identity: { user: "other", uid: other.uid } });
    }
    await asAdmin("PUT /api/v1/roles/grouping", { ...rule, groups: ["few"] });
    expect(ask()).toMatchObject({ identity: { user: "grouped", groups: ["few"] } });
    const id = await harness.bind("user", "grouped", "viewer", "east");
    expect(ask()).toMatchObject({ identity: { groups: ["few", "fairlead:viewers"] } });
    await asAdmin(`DELETE /api/v1/bindings/${id}`);
    expect(ask()).toMatchObject({ identity: { groups: ["few"] } });
  });

  it("are there again after a restart", async () => {
    await asAdmin("PUT /api/v1/roles/kept", { groups: ["kept"], mayImpersonate: { users: ["bob"] } });
    const id = await harness.bind("user", "kept@example.com", "kept", "east,west");
    await using later = await harness.reopen();
    expect(later.grants.roles.get("kept")).toEqual(harness.access.grants.roles.get("kept"));
    const find = (bindings: { id: string }[]) => bindings.find((one) => one.id === id);
    expect(find(later.grants.bindings())).toMatchObject({ role: "kept", clusters: { names: ["east", "west"] } });
    expect(later.firstAdminToken).toBeUndefined();
  });

  const clusters = { all: true };
  it.each([
    ["an unknown role", { subject: { kind: "user", name: "a" }, role: "nope", clusters }, 422, "ROLE_UNKNOWN"],
    [
      "a cluster's own name",
      { subject: { kind: "group", name: "system:masters" }, role: "viewer", clusters },
      422,
      "BINDING_INVALID",
    ],
    ["no clusters", { subject: { kind: "user", name: "a" }, role: "viewer" }, 400, "REQUEST_INVALID"],
    [
      "something unknown",
      { subject: { kind: "user", name: "a" }, role: "viewer", clusters, x: 1 },
      400,
      "REQUEST_INVALID",
    ],
    ["nothing", undefined, 400, "REQUEST_INVALID"],
  ])("refuse a binding with %s", async (_, body, status, code) => {
    const answer = await asAdmin("POST /api/v1/bindings", body as object);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it.each([
    ["PUT /api/v1/roles/viewer", {}, 409, "ROLE_BUILT_IN"],
    ["DELETE /api/v1/roles/admin", undefined, 409, "ROLE_BUILT_IN"],
    ["PUT /api/v1/roles/Not_A_Label", {}, 422, "ROLE_INVALID"],
    ["PUT /api/v1/roles/masters", { groups: ["system:masters"] }, 422, "ROLE_INVALID"],
    ["PUT /api/v1/roles/masters", { mayImpersonate: { groups: ["System:masters"] } }, 422, "ROLE_INVALID"],
    ["PUT /api/v1/roles/bad", { clusterRules: [{ verbs: ["GET"], resources: ["pods"] }] }, 400, "REQUEST_INVALID"],
    ["DELETE /api/v1/roles/none", undefined, 404, "ROLE_NOT_FOUND"],
    ["DELETE /api/v1/bindings/none", undefined, 404, "BINDING_NOT_FOUND"],
    ["DELETE /api/v1/users/none", undefined, 404, "USER_NOT_FOUND"],
    ["GET /api/v1/robots/none", undefined, 404, "ROBOT_NOT_FOUND"],
  ])("%s %j is refused", async (line, body, status, code) => {
    const answer = await asAdmin(line, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it("say what may be a slip in them, and of a robot that it isn't there", async () => {
    const make = async (subject: object, names: string[], token = harness.adminToken) =>
      (await harness.call(token, "POST /api/v1/bindings", { subject, role: "viewer", clusters: { names } })).body;
    const robot = await make({ kind: "robot", name: "nobody-made-it" }, ["east"]);
    expect(robot.code).toBe("ROBOT_NOT_FOUND");
    const typo = await make({ kind: "user", name: "never-came" }, ["east", "eats"]);
    expect(typo.id).toBeDefined();
    expect(typo.warnings).toEqual([
      "Nobody named never-came has signed in yet.",
      "There is no cluster named eats yet.",
    ]);
    await harness.signIn("came");
    expect((await make({ kind: "user", name: "came" }, ["east"])).warnings).toBeUndefined();
  });

  it("say nothing of users and clusters to who may not know them", async () => {
    await asAdmin("PUT /api/v1/roles/blind-binder", {
      hubRules: [{ verbs: ["create"], resources: ["bindings"] }],
    });
    await asAdmin("PUT /api/v1/roles/nothing", {});
    const { token } = await harness.signIn("blind");
    await harness.bind("user", "blind", "blind-binder", "*");
    const subject = { kind: "user", name: "never-came-either" };
    const body = { subject, role: "nothing", clusters: { names: ["none"] } };
    const made = await harness.call(token, "POST /api/v1/bindings", body);
    expect([made.status, made.body.warnings]).toEqual([201, undefined]);
  });

  it("aren't made twice, and a role that is bound stays", async () => {
    await asAdmin("PUT /api/v1/roles/bound", {});
    await harness.bind("user", "twice", "bound", "east,west");
    const subject = { kind: "user", name: "twice" };
    const again = await asAdmin("POST /api/v1/bindings", {
      subject,
      role: "bound",
      clusters: { names: ["west", "east"] },
    });
    expect(again.body.code).toBe("BINDING_EXISTS");
    expect((await asAdmin("DELETE /api/v1/roles/bound")).body.code).toBe("ROLE_IN_USE");
  });

  it("always leave an admin of everything", async () => {
    const bindings = (await asAdmin("GET /api/v1/bindings")).body.items;
    const first = bindings.find((one: { role: string }) => one.role === "admin");
    expect(first.subject).toEqual({ kind: "admin-token", name: "admin" });
    expect((await asAdmin(`DELETE /api/v1/bindings/${first.id}`)).body.code).toBe("ACCESS_LAST_ADMIN");
    const boss = await harness.signIn("boss");
    await harness.bind("user", "boss", "admin", "*");
    expect((await asAdmin(`DELETE /api/v1/bindings/${first.id}`)).status).toBe(204);
    expect((await asAdmin("GET /api/v1/bindings")).status, "the admin token has no role now").toBe(403);
    const removal = await harness.call(boss.token, "DELETE /api/v1/users/boss");
    expect(removal.body.code).toBe("ACCESS_LAST_ADMIN");
    const restored = { subject: first.subject, role: "admin", clusters: { all: true } };
    expect((await harness.call(boss.token, "POST /api/v1/bindings", restored)).status).toBe(201);
  });
});

describe("two changes at once", () => {
  it("of which each leaves an admin don't leave none together", async () => {
    await using fresh = await startAccess();
    await fresh.signIn("boss");
    const id = await fresh.bind("user", "boss", "admin", "*");
    const ids = [id, ...fresh.access.grants.bindings().map((one) => one.id)];
    const outcomes = await Promise.allSettled([...new Set(ids)].map((each) => fresh.access.grants.unbind(each)));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(fresh.access.grants.bindings()).toHaveLength(1);
  });
});

describe("who may give rights", () => {
  it("gives no more than they have themselves, where they have it", async () => {
    await asAdmin("PUT /api/v1/roles/binder", {
      hubRules: [{ verbs: ["*"], resources: ["bindings", "roles", "robots", "robots/*"] }],
    });
    const { token } = await harness.signIn("lead");
    await harness.bind("user", "lead", "binder", "*");
    await harness.bind("user", "lead", "viewer", "east");
    const bind = async (role: string, clusters: object) => {
      const body = { subject: { kind: "user", name: "lead" }, role, clusters };
      return (await harness.call(token, "POST /api/v1/bindings", body)).body.code;
    };
    for (const role of ["admin", "operator"]) expect(await bind(role, { all: true })).toBe("ACCESS_ESCALATION");
    expect(await bind("operator", { names: ["east"] })).toBe("ACCESS_ESCALATION");
    expect(await bind("viewer", { names: ["west"] })).toBe("ACCESS_ESCALATION");
    expect(await bind("viewer", { all: true })).toBe("ACCESS_ESCALATION");
    const mate = { subject: { kind: "user", name: "mate" }, role: "viewer", clusters: { names: ["east"] } };
    expect((await harness.call(token, "POST /api/v1/bindings", mate)).status).toBe(201);

    const put = async (body: object) => (await harness.call(token, "PUT /api/v1/roles/mine", body)).body.code;
    expect(await put({ clusterRules: [{ verbs: ["get"], resources: ["pods"] }] })).toBe("ACCESS_ESCALATION");
    expect(await put({ groups: ["fairlead:admins"] })).toBe("ACCESS_ESCALATION");
    expect(await put({ mayImpersonate: { users: ["boss"] } })).toBe("ACCESS_ESCALATION");
    expect(await put({ hubRules: [{ verbs: ["*"], resources: ["*"] }] })).toBe("ACCESS_ESCALATION");
    expect(await put({ hubRules: [{ verbs: ["create"], resources: ["bindings"] }] })).toBeUndefined();
  });

  it("gives nothing unrecorded that they have recorded", async () => {
    const { token } = await harness.signIn("watched");
    await harness.bind("user", "watched", "binder", "*");
    const operator = { role: "operator", clusters: { names: ["east"] } };
    await asAdmin("POST /api/v1/bindings", { subject: { kind: "user", name: "watched" }, ...operator, record: true });
    const give = async (body: object) => {
      await asAdmin("POST /api/v1/robots", { name: "unwatched" });
      const subject = { kind: "robot", name: "unwatched" };
      const answer = await harness.call(token, "POST /api/v1/bindings", { subject, ...operator, ...body });
      return answer.body.code ?? answer.status;
    };
    expect(await give({})).toBe("ACCESS_UNRECORDED");
    expect(await give({ record: true })).toBe(201);
  });

  it("gets no token of a robot that may do more than they", async () => {
    const { token } = await harness.signIn("lead");
    await asAdmin("POST /api/v1/robots", { name: "strong" });
    await harness.bind("robot", "strong", "admin", "*");
    const { body } = await harness.call(token, "POST /api/v1/robots/strong/tokens", { ttlMs: dayMs });
    expect(body.code).toBe("ACCESS_ESCALATION");
    await asAdmin("POST /api/v1/robots", { name: "weak" });
    expect((await harness.call(token, "POST /api/v1/robots/weak/tokens", { ttlMs: dayMs })).status).toBe(201);
  });
});

describe("a user who has another name now", () => {
  it("is nobody by the old one, in sessions that outlived it as well", async () => {
    const { token, principal } = await harness.signIn("before");
    await harness.access.users.recordSignIn({
      issuer: "https://idp.test",
      subject: "sub-before",
      name: "after",
      groups: [],
    });
    await harness.bind("user", "before", "operator", "east");
    expect((await harness.call(token, "GET /api/v1/whoami")).body.code).toBe("AUTH_INVALID");
    expect(harness.access.isSignedIn(principal)).toBe(false);
  });
});

describe("a user who is removed", () => {
  it("has no session, no direct binding and no rights from then on", async () => {
    const { token, principal, refresh } = await harness.signIn("gone");
    const heard: boolean[] = [];
    const stop = harness.access.onChanged(() => heard.push(harness.access.isSignedIn(principal)));
    await harness.bind("user", "gone", "operator", "east");
    expect((await asAdmin("DELETE /api/v1/users/gone")).status).toBe(204);
    stop();
    // This is what ends open streams.
    expect(heard).toContain(false);
    expect((await harness.call(token, "GET /api/v1/whoami")).status).toBe(401);
    await expect(harness.access.sessions.refresh(refresh)).rejects.toMatchObject({ code: "SESSION_REFRESH_INVALID" });
    expect(harness.access.isSignedIn(principal)).toBe(false);
    expect(harness.access.authorize({ principal, cluster: "east", attributes: getPod }).allowed).toBe(false);
    const again = await harness.signIn("gone");
    expect((await harness.call(again.token, "GET /api/v1/whoami")).body.bindings).toEqual([]);
  });
});
