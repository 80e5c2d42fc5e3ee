// Profiles on a whole hub: what people may do with them, and what agents are told over their links.
import { createClient } from "@connectrpc/connect";
import type { FitnessProfileDetail, ProfileChoice } from "@fairlead/contract";
import { createLinkTransport, InventoryService, type SyncResponse } from "@fairlead/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello, type TestAnswer, type TestHub } from "../../hub.fixture.ts";

let harness: TestHub;
const tokens = new Map<string, string>();
beforeAll(async () => {
  harness = await openTestHub();
  await ask("POST /api/v1/clusters", { name: "west" });
  await makeRobot("author", [{ verbs: ["create", "get"], resources: ["profiles/ours"] }]);
  await makeRobot("chooser", [
    { verbs: ["update"], resources: ["clusters/profile"] },
    { verbs: ["get"], resources: ["clusters"] },
  ]);
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

const content = "name: ours\nextends: truefoundry\nargocd: { project: apps }\n";

describe("a profile", () => {
  beforeEach(async () => {
    await ask("PUT /api/v1/clusters/west/profile", { profile: "fairlead" });
    await ask("DELETE /api/v1/profiles/ours");
  });

  it("is kept as it was written, and listed with those that come with Fairlead", async () => {
    const { json } = await ask("PUT /api/v1/profiles/ours", { content });
    expect(json).toMatchObject({ name: "ours", isBuiltIn: false, content, changedBy: "admin" });
    expect((await ask("GET /api/v1/profiles/ours")).json).toEqual(json);
    const { items } = (await ask("GET /api/v1/profiles")).json as { items: { name: string; isBuiltIn: boolean }[] };
    expect(items.map(({ name, isBuiltIn }) => [name, isBuiltIn])).toEqual([
      ["fairlead", true],
      ["truefoundry", true],
      ["ours", false],
    ]);
    const builtIn = (await ask("GET /api/v1/profiles/truefoundry")).json as FitnessProfileDetail;
    expect(builtIn.content).toContain("project: tfy-apps");
  });

  it.each([
    ["with a slip in it", "ours", `${content}logs: { retention: 3 }`, 400, "DOCTOR_PROFILE_INVALID"],
    ["of another name", "ours", content.replace("ours", "theirs"), 400, "PROFILE_NAME_DIFFERS"],
    ["that is none", "ours", "", 400, "DOCTOR_PROFILE_INVALID"],
    ["with a NUL", "ours", "name: ours\0", 400, "PROFILE_REQUEST_INVALID"],
    ["that is too long", "ours", `${content}# ${"x".repeat(65_536)}`, 400, "PROFILE_REQUEST_INVALID"],
    ["in place of one that comes with Fairlead", "fairlead", content, 409, "PROFILE_BUILT_IN"],
  ])("%s isn't taken", async (_, name, wrong, status, code) => {
    const refused = await ask(`PUT /api/v1/profiles/${name}`, { content: wrong });
    expect([refused.status, codeOf(refused)]).toEqual([status, code]);
    expect((await ask("GET /api/v1/profiles/ours")).status).toBe(404);
  });

  it("is refused with line and column", async () => {
    const { json } = await ask("PUT /api/v1/profiles/ours", { content: `${content}logs: { retention: 3 }` });
    expect((json as { detail: string }).detail).toContain("4:9: logs has no field 'retention'");
  });

  it("is made, changed, removed and seen by those alone who may", async () => {
    expect((await ask("PUT /api/v1/profiles/ours", { content }, "author")).status).toBe(200);
    expect((await ask("GET /api/v1/profiles/ours", undefined, "author")).status).toBe(200);
    for (const [who, request, body] of [
      ["author", "PUT /api/v1/profiles/ours", { content }],
      ["author", "PUT /api/v1/profiles/theirs", { content }],
      ["author", "DELETE /api/v1/profiles/ours", undefined],
      ["author", "PUT /api/v1/clusters/west/profile", { profile: "ours" }],
      ["author", "GET /api/v1/clusters/west/profile", undefined],
      ["chooser", "PUT /api/v1/profiles/ours", { content }],
    ] as const) {
      const refused = await ask(request, body, who);
      expect([refused.status, codeOf(refused)], `${who}: ${request}`).toEqual([403, "ACCESS_DENIED"]);
    }
    expect((await ask("GET /api/v1/profiles/ours", undefined, "chooser")).status).toBe(404);
    expect(JSON.stringify((await ask("GET /api/v1/profiles", undefined, "chooser")).json)).not.toContain("ours");
  });

  it("is chosen by those alone who may see it, and shown with each cluster that one may see", async () => {
    await ask("PUT /api/v1/profiles/ours", { content });
    const hidden = await ask("PUT /api/v1/clusters/west/profile", { profile: "ours" }, "chooser");
    expect([hidden.status, codeOf(hidden)]).toEqual([404, "PROFILE_NOT_FOUND"]);
    expect((await ask("PUT /api/v1/clusters/west/profile", { profile: "truefoundry" }, "chooser")).status).toBe(200);
    const { json } = await ask("GET /api/v1/clusters/west/profile", undefined, "chooser");
    expect(json).toMatchObject({ cluster: "west", profile: "truefoundry", changedBy: "robot:chooser" });
    expect((await ask("GET /api/v1/profile-choices", undefined, "chooser")).json).toEqual({ items: [json] });
    expect((await ask("GET /api/v1/profile-choices", undefined, "author")).json).toEqual({ items: [] });
  });

  it("leaves records of who changed it, and who chose it for which cluster", async () => {
    await ask("PUT /api/v1/profiles/ours", { content });
    await ask("PUT /api/v1/clusters/west/profile", { profile: "ours" });
    const { items } = (await ask("GET /api/v1/audit?limit=50")).json as { items: object[] };
    expect(items).toContainEqual(
      expect.objectContaining({ verb: "update", resource: "profiles", name: "ours", status: 200 }),
    );
    expect(items).toContainEqual(
      expect.objectContaining({
        verb: "update",
        resource: "clusters",
        subresource: "profile",
        cluster: "west",
        status: 200,
      }),
    );
  });
});

it("an agent is told what holds when it connects, and each change", async () => {
  const link = await dial(await enroll("east", harness, ["observe"]), harness, answer(""));
  await sayHello(link, "east");
  async function* say(): AsyncGenerator<never> {
    const value = { kubeSystemUid: "u", agentInstanceId: "i1", leaseEpoch: 1n };
    yield { message: { case: "start", value } } as never;
    await new Promise(() => undefined);
  }
  const answers = createClient(InventoryService, createLinkTransport({ link })).sync(say())[Symbol.asyncIterator]();
  expect(await nextOf(answers)).toMatchObject({ case: "welcome" });
  const next = async () => (await nextOf(answers)).value;
  expect(await next()).toMatchObject({ generation: 0n, profile: "fairlead", content: "" });
  await ask("PUT /api/v1/profiles/ours", { content });
  await ask("PUT /api/v1/clusters/east/profile", { profile: "ours" });
  expect(await next()).toMatchObject({ generation: 1n, profile: "ours", content });
  const other = content.replace("apps", "others");
  await ask("PUT /api/v1/profiles/ours", { content: other });
  expect(await next()).toMatchObject({ generation: 2n, profile: "ours", content: other });
  const choice = (await ask("GET /api/v1/clusters/east/profile")).json as ProfileChoice;
  expect(choice).toMatchObject({ profile: "ours", generation: 2 });
  link.close("done");
});

async function nextOf(answers: AsyncIterator<SyncResponse>): Promise<SyncResponse["message"]> {
  const { value, done } = await answers.next();
  if (done) throw new Error("the call has ended");
  return value.message;
}

function codeOf({ json }: TestAnswer): string {
  return (json as { readonly code: string }).code;
}

function ask(request: string, body?: object, who?: string): Promise<TestAnswer> {
  const [method = "", path = ""] = request.split(" ");
  const authorization = who === undefined ? harness.admin.authorization : `Bearer ${tokens.get(who)}`;
  return call(harness.hub.peopleUrl, path, {
    method,
    headers: { authorization, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function makeRobot(name: string, hubRules: readonly object[]): Promise<void> {
  await ask(`PUT /api/v1/roles/${name}`, { hubRules });
  await ask("POST /api/v1/robots", { name });
  await ask("POST /api/v1/bindings", { subject: { kind: "robot", name }, role: name, clusters: { all: true } });
  const made = await ask(`POST /api/v1/robots/${name}/tokens`, { ttlMs: 3_600_000 });
  tokens.set(name, (made.json as { token: string }).token);
}
