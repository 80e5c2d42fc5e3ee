// Bindings that end by themselves, and the ways by which somebody could keep what they give.
import type { RequestAttributes } from "@fairlead/kube";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AccessHarness, startAccess } from "./access-harness.fixture.ts";
import type { Ended } from "./service.ts";

const hourMs = 3_600_000;
const ended: Ended[] = [];
let isRecordable = true;
let harness: AccessHarness;
beforeAll(async () => {
  harness = await startAccess({
    times: { accessTtlMs: 48 * hourMs, maxMs: 48 * hourMs },
    async onEnded(news) {
      if (!isRecordable) throw new Error("the records can't be kept");
      ended.push(news);
    },
  });
});
afterAll(() => harness[Symbol.asyncDispose]());

describe("a binding with an end", () => {
  it("gives its role up to its end and not a moment longer, to those who are signed in already", async () => {
    const { token, principal } = await harness.signIn("alice");
    const made = await bindFor("alice", "viewer", hourMs, { reason: "INC-7: looks at the shop" });
    expect(made.body).toMatchObject({ endsAt: at(hourMs), reason: "INC-7: looks at the shop" });
    expect(mayGetPods(principal)).toBe(true);
    expect(await items("GET /api/v1/bindings")).toContainEqual(
      expect.objectContaining({ id: made.body.id, endsAt: at(hourMs) }),
    );
    expect((await harness.call(token, "GET /api/v1/whoami")).body.bindings).toEqual([
      { role: "viewer", clusters: "east", endsAt: at(hourMs) },
    ]);
    const end = at(hourMs);
    const asked = { subject: { kind: "user", name: "alice" }, verb: "get", resource: "pods", cluster: "east" };
    const why = (await harness.call(harness.adminToken, "POST /api/v1/access/explain", asked)).body;
    expect(why.reason).toContain(`until ${end}`);
    expect(why.considered).toMatchObject([{ matched: true, endsAt: end, why: `it gives this until ${end}` }]);
    const who = await harness.call(harness.adminToken, "POST /api/v1/access/who-can", { ...asked, subject: undefined });
    expect(who.body.items).toContainEqual(expect.objectContaining({ binding: made.body.id, endsAt: end }));

    let told = 0;
    harness.access.onChanged(() => {
      told += 1;
    });
    harness.clock.move(hourMs - 1);
    expect(mayGetPods(principal)).toBe(true);
    expect(told).toBe(0);
    harness.clock.move(1);
    expect(mayGetPods(principal)).toBe(false);
    // Open streams are judged again by this.
    expect(told).toBeGreaterThan(0);
    expect(await items("GET /api/v1/bindings")).not.toContainEqual(expect.objectContaining({ id: made.body.id }));
    expect((await harness.call(token, "GET /api/v1/whoami")).body.bindings).toEqual([]);
  });

  it("is put on record and removed when it has ended, by one of two hubs", async () => {
    const other = await harness.beside();
    const { principal } = await harness.signIn("carol");
    const { body } = await bindFor("carol", "viewer", hourMs);
    await other.access.catchUp();
    expect(other.access.grants.of(principal)).toHaveLength(1);
    harness.clock.move(hourMs);
    expect(other.access.grants.of(principal)).toHaveLength(0);
    await expect.poll(() => ended.filter(({ id }) => id === body.id), { timeout: 60_000 }).toHaveLength(1);
    await expect.poll(() => idsInStore(), { timeout: 60_000 }).not.toContain(body.id);
    expect(ended.at(-1)).toMatchObject({ kind: "binding", what: expect.stringContaining("role viewer of user carol") });
  });

  it("that can't be put on record stays in the store, and gives nothing", async () => {
    const { principal } = await harness.signIn("dora");
    const { body } = await bindFor("dora", "viewer", hourMs);
    isRecordable = false;
    harness.clock.move(hourMs);
    await harness.access.grants.sweep(async () => Promise.reject(new Error("no"))).catch(() => undefined);
    expect(await idsInStore()).toContain(body.id);
    expect(mayGetPods(principal)).toBe(false);
    const reopened = await harness.reopen();
    expect(reopened.grants.of(principal)).toEqual([]);
    await reopened[Symbol.asyncDispose]();
    isRecordable = true;
    harness.clock.move(60_000);
    await expect.poll(() => idsInStore(), { timeout: 60_000 }).not.toContain(body.id);
  });

  it("doesn't end earlier when the clock is set back, and counts again for nobody who lost it", async () => {
    const { principal } = await harness.signIn("erin");
    await bindFor("erin", "viewer", hourMs);
    expect(mayGetPods(principal)).toBe(true);
    harness.clock.move(hourMs);
    expect(mayGetPods(principal)).toBe(false);
    harness.clock.move(-1_000);
    expect(mayGetPods(principal)).toBe(false);
    harness.clock.move(1_000);
  });

  it("can be followed by a longer one, and stands in nobody's way; an equal one is refused", async () => {
    await bindFor("fay", "viewer", hourMs);
    expect((await bindFor("fay", "viewer", hourMs)).body.code).toBe("BINDING_EXISTS");
    expect((await bindFor("fay", "viewer", 2 * hourMs)).status).toBe(201);
    expect((await bindFor("fay", "viewer", undefined)).status).toBe(201);
    expect((await bindFor("fay", "viewer", hourMs)).body.code).toBe("BINDING_EXISTS");
  });

  it.each([0, 999, 1.5, 367 * 24 * hourMs, "1h"])("isn't made for a time of %j", async (ttlMs) => {
    expect((await bindFor("gus", "viewer", ttlMs as number)).body.code).toBe("REQUEST_INVALID");
  });
});

describe("the last admin", () => {
  it("isn't one whose role ends: nobody would be left", async () => {
    await harness.signIn("root");
    await bindFor("root", "admin", hourMs, {}, { all: true });
    const admin = (await items("GET /api/v1/bindings")).find(
      (one: { subject: { kind: string } }) => one.subject.kind === "admin-token",
    );
    const gone = await harness.call(harness.adminToken, `DELETE /api/v1/bindings/${admin.id}`);
    expect(gone.body.code).toBe("ACCESS_LAST_ADMIN");
  });

  it("keeps the first token, which ends for somebody who stays admin only", async () => {
    await using own = await startAccess({ firstTokenEndsFor: "https://idp.test" });
    await own.signIn("root");
    const subject = { kind: "user", name: "root" };
    const body = { subject, role: "admin", clusters: { all: true }, ttlMs: hourMs };
    expect((await own.call(own.adminToken, "POST /api/v1/bindings", body)).status).toBe(201);
    own.clock.move(5_000);
    const reopened = await own.reopen();
    await reopened[Symbol.asyncDispose]();
    expect((await own.call(own.adminToken, "GET /api/v1/whoami")).status).toBe(200);
  });
});

describe("an admin for an hour", () => {
  let token: string;
  beforeAll(async () => {
    ({ token } = await harness.signIn("hugo"));
    await bindFor("hugo", "admin", hourMs, {}, { all: true });
  });

  it.each([
    ["a binding without an end", "POST /api/v1/bindings", bodyFor("hugo", "viewer", undefined)],
    ["a binding that lasts longer", "POST /api/v1/bindings", bodyFor("mallory", "viewer", hourMs + 1)],
    ["a role", "PUT /api/v1/roles/mine", { hubRules: [{ verbs: ["*"], resources: ["*"] }] }],
  ])("can't keep the right by %s", async (_what, line, body) => {
    const answer = await harness.call(token, line, body);
    expect([answer.status, answer.body.code]).toEqual([403, "ACCESS_ESCALATION"]);
    expect(answer.body.message).toContain("for as long");
  });

  it("can't keep it by a robot's token that lasts longer, and can make a shorter one", async () => {
    await harness.bind("robot", "ci", "operator", "*");
    const line = "POST /api/v1/robots/ci/tokens";
    expect((await harness.call(token, line, { ttlMs: 2 * hourMs })).body.code).toBe("ACCESS_ESCALATION");
    expect((await harness.call(token, line, { ttlMs: hourMs / 2 })).status).toBe(201);
  });

  it("can't keep it by labels that give a new cluster to others for good", async () => {
    const selector = { matchLabels: { team: "own" } };
    const own = { subject: { kind: "user", name: "mallory" }, role: "viewer", clusters: { selector } };
    expect((await harness.call(harness.adminToken, "POST /api/v1/bindings", own)).status).toBe(201);
    const principal = await harness.access.authenticate(`Bearer ${token}`);
    const cluster = { name: "new", labels: { team: "own" } };
    const made = harness.access.giveLabels(principal, cluster, async () => "made");
    await expect(made).rejects.toMatchObject({ code: "ACCESS_ESCALATION" });
  });

  it("gives what ends with theirs", async () => {
    const made = await harness.call(token, "POST /api/v1/bindings", bodyFor("ivan", "viewer", hourMs / 2));
    expect(made.status).toBe(201);
  });
});

function bodyFor(
  name: string,
  role: string,
  ttlMs: number | undefined,
  clusters: object = { names: ["east"] },
): object {
  return { subject: { kind: "user", name }, role, clusters, ttlMs };
}

async function bindFor(name: string, role: string, ttlMs: number | undefined, more: object = {}, clusters?: object) {
  const body = { ...bodyFor(name, role, ttlMs, clusters), ...more };
  return await harness.call(harness.adminToken, "POST /api/v1/bindings", body);
}

async function items(line: string) {
  return (await harness.call(harness.adminToken, line)).body.items;
}

async function idsInStore(): Promise<string[]> {
  return (await harness.store.db.selectFrom("access_binding").select("id").execute()).map(({ id }) => id);
}

function at(inMs: number): string {
  return new Date(harness.clock.now() + inMs).toISOString();
}

function mayGetPods(principal: Parameters<AccessHarness["access"]["authorize"]>[0]["principal"]): boolean {
  return harness.access.authorize({ principal, cluster: "east", attributes: getPods }).allowed;
}

const getPods: RequestAttributes = {
  isResource: true,
  path: "",
  apiGroup: "",
  apiVersion: "v1",
  verb: "get",
  resource: "pods",
  subresource: "",
  namespace: "shop",
  name: "web",
};
