// Commands on a whole hub: from somebody who asks, over the link of an agent, and back; and who may do what.

import { gzipSync } from "node:zlib";
import { createClient } from "@connectrpc/connect";
import { CommandService, createLinkTransport, type Link } from "@fairlead/protocol";
import { compactVerify, importJWK } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello, type TestAnswer, type TestHub } from "../../hub.fixture.ts";

let harness: TestHub;
let link: Link;
let keys: readonly string[];
const people = new Map<string, string>();
beforeAll(async () => {
  harness = await openTestHub();
  people.set("admin", harness.admin.authorization);
  link = await dial(await enroll("east", harness, ["execute"]), harness, answer(""));
  const hello = await sayHello(link, "east");
  expect(hello.capabilities).toContain("commands");
  keys = hello.commandKeys;
  await asAdmin("PUT", "/api/v1/roles/shopkeeper", {
    hubRules: [{ verbs: ["get", "list", "create"], resources: ["commands/manifests"] }],
    clusterRules: [],
    groups: [],
  });
  for (const verb of ["propose", "approve"])
    await asAdmin("PUT", `/api/v1/roles/${verb}r`, {
      hubRules: [{ verbs: ["get", "list", verb], resources: ["commands/manifests"] }],
      clusterRules: [],
      groups: [],
    });
  await asAdmin("PUT", "/api/v1/roles/helmsman", {
    hubRules: [{ verbs: ["*"], resources: ["commands/helm"] }],
    clusterRules: [{ verbs: ["*"], resources: ["*"] }],
    groups: [],
  });
  for (const role of ["viewer", "operator", "shopkeeper", "helmsman", "proposer", "approver"])
    await addPerson(role, role);
  await addPerson("stranger");
}, 60_000);
afterAll(async () => {
  link.close("done");
  await harness[Symbol.asyncDispose]();
});

/** Robots stand for people: what matters is the role. */
async function addPerson(name: string, role?: string): Promise<void> {
  await asAdmin("POST", "/api/v1/robots", { name });
  const subject = { kind: "robot", name };
  if (role) await asAdmin("POST", "/api/v1/bindings", { subject, role, clusters: { names: ["east"] } });
  const made = await asAdmin("POST", `/api/v1/robots/${name}/tokens`, { ttlMs: 3_600_000 });
  people.set(name, `Bearer ${(made.json as { token: string }).token}`);
}

async function asAdmin(method: string, path: string, body: object): Promise<TestAnswer> {
  const made = await as("admin", method, path, body);
  if ((made.status ?? 500) > 299) throw new Error(`${method} ${path}: ${made.text}`);
  return made;
}

function as(name: string, method: string, path: string, body?: object): Promise<TestAnswer> {
  const headers = { authorization: people.get(name) ?? "", ...(body && { "content-type": "application/json" }) };
  return call(harness.hub.peopleUrl, path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

const create = (name: string, namespace = "shop", more: object = {}) =>
  as(name, "POST", "/api/v1/commands", {
    cluster: "east",
    kind: "manifests",
    spec: { set: name, namespace, manifests: "kind: Secret" },
    ...more,
  });
const idOf = ({ json }: TestAnswer): string => (json as { id: string }).id;

describe("a command", () => {
  it("goes to the agent that claims it, and its log and outcome come back; the audit records say who asked", async () => {
    const id = idOf(await create("admin"));
    const agent = createClient(CommandService, createLinkTransport({ link }));
    const { commands } = await agent.claim({ agentInstanceId: "i1", most: 1, kinds: ["manifests"] });
    expect(commands).toMatchObject([{ id, epoch: 1n, logOffset: 0n }]);
    const key = await importJWK(JSON.parse(keys[0] ?? ""), "EdDSA");
    const { payload } = await compactVerify(commands[0]?.envelope ?? "", key);
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({ id, cluster: "east", requester: "admin" });
    await agent.report({ id, epoch: 1n, sequence: 1n, state: "running" });
    await agent.appendLog({ id, epoch: 1n, offset: 0n, chunk: gzipSync("applied\n") });
    const trouble = { code: "KUBE_FORBIDDEN", message: "not allowed", hint: "allow it" };
    await agent.report({ id, epoch: 1n, sequence: 2n, state: "failed", logBytes: 8n, ...trouble });
    const shown = await as("admin", "GET", `/api/v1/commands/${id}`);
    expect(shown.json).toMatchObject({ state: "failed", trouble, logBytes: 8, history: { length: 4 } });
    expect((await as("admin", "GET", `/api/v1/commands/${id}/log?follow=true`)).text).toBe("applied\n");
    const audit = await as("admin", "GET", "/api/v1/audit?cluster=east&verb=create");
    expect(JSON.stringify(audit.json)).toContain(id);
    expect(harness.lines.join("")).not.toContain("kind: Secret");
    expect((await as("admin", "GET", "/metrics")).text).toContain(
      'fairlead_commands_finished_total{outcome="failed"} 1',
    );
  });

  it("waits for an agent of a cluster that was never connected, unless its agents can't have the role", async () => {
    await asAdmin("POST", "/api/v1/clusters", { name: "west", roles: ["execute"] });
    expect(await create("admin", "shop", { cluster: "west" })).toMatchObject({
      status: 201,
      json: { state: "queued" },
    });
    await asAdmin("POST", "/api/v1/clusters", { name: "other", roles: ["proxy"] });
    const refused = await create("admin", "shop", { cluster: "other" });
    expect(refused).toMatchObject({ status: 409, json: { code: "COMMAND_NO_AGENT" } });
  });

  it("waits for an agent with the role that is away", async () => {
    const away = await dial(await enroll("islet", harness, ["execute"]), harness, answer(""));
    await sayHello(away, "islet");
    away.close("done");
    await away.closed;
    const shown = async () => (await as("admin", "GET", "/api/v1/clusters/islet")).json;
    await expect.poll(shown).toMatchObject({ state: "offline" });
    expect((await create("admin", "shop", { cluster: "islet" })).status).toBe(201);
  });

  it("is refused for a cluster whose agent has another role", async () => {
    const proxying = await dial(await enroll("north", harness, ["proxy"]), harness, answer(""));
    await sayHello(proxying, "north");
    const refused = await create("admin", "shop", { cluster: "north" });
    expect(refused).toMatchObject({ status: 409, json: { code: "COMMAND_NO_AGENT" } });
    const agent = createClient(CommandService, createLinkTransport({ link: proxying }));
    await expect(agent.claim({ agentInstanceId: "i", most: 1, kinds: ["manifests"] })).rejects.toThrow(
      "COMMAND_ROLE_REQUIRED",
    );
    proxying.close("done");
  });
});

describe("rights on commands", () => {
  it.each([
    ["viewer", 403],
    ["stranger", 403],
    // Rights in clusters in somebody's own name aren't rights to have the agent act.
    ["operator", 403],
    ["helmsman", 403],
    ["shopkeeper", 201],
  ])("%s asks for one: %i", async (name, status) => {
    const made = await create(name);
    expect(made.status, made.text).toBe(status);
    if (status === 403) expect(made.json).toMatchObject({ code: "ACCESS_DENIED" });
    const audit = await as("admin", "GET", `/api/v1/audit?cluster=east&user=robot:${name}&limit=1`);
    expect(audit.json).toMatchObject({ items: [{ verb: "create", resource: "commands", status }] });
  });

  it("who may propose asks for dry runs, and for what somebody else approves, and for nothing else", async () => {
    const refused = { status: 403, json: { code: "ACCESS_DENIED" } };
    expect(await create("proposer")).toMatchObject(refused);
    expect(await create("proposer", "shop", { approvals: { fourEyes: false } })).toMatchObject(refused);
    expect(await create("proposer", "shop", { dryRun: true })).toMatchObject({ status: 201 });
    const own = idOf(await create("proposer", "shop", { approvals: {} }));
    await as("admin", "POST", `/api/v1/commands/${own}/cancel`);
    const retried = await as("proposer", "POST", `/api/v1/commands/${own}/retry`);
    expect(retried).toMatchObject({ status: 201, json: { approval: { required: 1, fourEyes: true } } });
    // Its spec would be shown to him.
    const foreign = idOf(await create("admin", "shop", { approvals: {} }));
    await as("admin", "POST", `/api/v1/commands/${foreign}/cancel`);
    expect(await as("proposer", "POST", `/api/v1/commands/${foreign}/retry`)).toMatchObject(refused);
  });

  it("only who may approve approves and rejects, and he sees what he approves", async () => {
    const id = idOf(await create("proposer", "shop", { approvals: {} }));
    const body = { digest: "d".repeat(64) };
    for (const what of ["approve", "reject"] as const) {
      for (const name of ["viewer", "operator", "shopkeeper", "proposer"]) {
        const refused = await as(name, "POST", `/api/v1/commands/${id}/${what}`, what === "approve" ? body : {});
        expect(refused).toMatchObject({ status: 403, json: { code: "ACCESS_DENIED" } });
      }
      const unknown = await as("stranger", "POST", `/api/v1/commands/${id}/${what}`, what === "approve" ? body : {});
      expect(unknown).toMatchObject({ status: 404, json: { code: "COMMAND_NOT_FOUND" } });
    }
    const tooEarly = await as("approver", "POST", `/api/v1/commands/${id}/approve`, body);
    expect(tooEarly).toMatchObject({ status: 409, json: { code: "COMMAND_NOT_AWAITING" } });
    const seen = await as("approver", "GET", `/api/v1/commands/${id}`);
    expect(seen.json).toMatchObject({ spec: { manifests: "kind: Secret" } });
    expect(await create("approver")).toMatchObject({ status: 403 });
    const audit = await as("admin", "GET", "/api/v1/audit?user=robot:approver&limit=20");
    expect(JSON.stringify(audit.json)).toContain('"subresource":"approve"');
  });

  it("who may look at a command sees its spec only if he could have asked for it", async () => {
    const id = idOf(await create("admin"));
    const read = async (name: string) => (await as(name, "GET", `/api/v1/commands/${id}`)).json;
    for (const name of ["viewer", "operator"]) {
      expect(await read(name)).toMatchObject({ id, state: "queued" });
      expect(await read(name)).not.toHaveProperty("spec");
    }
    expect(await read("shopkeeper")).toMatchObject({ spec: { manifests: "kind: Secret" } });
    for (const name of ["stranger", "helmsman"]) expect(await read(name)).toMatchObject({ code: "COMMAND_NOT_FOUND" });
  });

  it("who may not see a command can't do anything with it, and who may look can't cancel it", async () => {
    const id = idOf(await create("shopkeeper"));
    for (const [method, at] of [
      ["GET", ""],
      ["GET", "/log"],
      ["POST", "/cancel"],
      ["POST", "/retry"],
    ] as const) {
      const refused = await as("stranger", method, `/api/v1/commands/${id}${at}`);
      expect([refused.status, (refused.json as { code: string }).code]).toEqual([404, "COMMAND_NOT_FOUND"]);
    }
    for (const name of ["viewer", "operator", "shopkeeper"]) {
      const refused = await as(name, "POST", `/api/v1/commands/${id}/cancel`);
      expect(refused).toMatchObject({ status: 403, json: { code: "ACCESS_DENIED" } });
    }
  });

  it("a list has what its reader may see", async () => {
    await asAdmin("POST", "/api/v1/clusters", { name: "harbour", roles: ["execute"] });
    await create("admin", "shop", { cluster: "harbour" });
    const list = async (name: string) =>
      ((await as(name, "GET", "/api/v1/commands?limit=500")).json as { items: { cluster: string }[] }).items;
    expect(await list("stranger")).toEqual([]);
    expect(await list("helmsman")).toEqual([]);
    expect(new Set((await list("shopkeeper")).map(({ cluster }) => cluster))).toEqual(new Set(["east"]));
    expect((await list("admin")).map(({ cluster }) => cluster)).toContain("harbour");
  });
});

describe("keys of commands", () => {
  it("come to agents in the answers to enrollment and Hello, and are the ones that people are shown", async () => {
    const shown = await as("admin", "GET", "/api/v1/command-keys");
    const { items } = shown.json as { items: { publicJwk: string }[] };
    expect(items.map(({ publicJwk }) => publicJwk)).toEqual(keys);
    expect(JSON.parse(keys[0] ?? "")).not.toHaveProperty("d");
    await asAdmin("POST", "/api/v1/command-keys/rotate", {});
    const next = await dial(await enroll("south", harness, ["execute"]), harness, answer(""));
    expect((await sayHello(next, "south")).commandKeys).toEqual([keys[0], expect.any(String)]);
    next.close("done");
  });
});
