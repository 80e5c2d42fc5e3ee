import { clusterDetailSchema, clusterListSchema, createClusterResponseSchema, joinSchema } from "@fairlead/contract";
import { isFairleadError } from "@fairlead/kernel";
import fastify, { type FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type IdentityHarness, startIdentity } from "../identity/identity.fixture.ts";
import { createClusterRoutes } from "./index.ts";

let harness: IdentityHarness;
let app: FastifyInstance;
beforeAll(async () => {
  harness = await startIdentity();
  app = fastify();
  app.setErrorHandler((error, _request, reply) =>
    isFairleadError(error)
      ? reply.code(error.httpStatus).send({ code: error.code, message: error.message })
      : reply.code(500).send({ code: "UNEXPECTED", message: String(error) }),
  );
  app.decorateRequest("principal");
  app.addHook("onRequest", async (request) => {
    request.principal = { kind: "user", name: "alice", uid: "usr_1", groups: [] };
  });
  const { clusters, identity } = harness;
  const access = {
    may: () => true,
    require: () => undefined,
    giveLabels: <T>(_principal: unknown, _cluster: unknown, make: () => Promise<T>) => make(),
    changeLabels: <T>(_principal: unknown, _cluster: unknown, make: () => Promise<T>) => make(),
  };
  await app.register(createClusterRoutes({ access, clusters, identity, hubAgentUrl: () => "https://hub.test:8444" }));
});
afterAll(async () => {
  await app.close();
  await harness[Symbol.asyncDispose]();
});

async function call(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, payload?: object) {
  const url = `/api/v1/clusters${path}`;
  const answer = await app.inject({ method, url, ...(payload ? { payload } : {}) });
  return { status: answer.statusCode, body: answer.body === "" ? undefined : answer.json() };
}

describe("the clusters' API", () => {
  it("creates a cluster with a token that enrolls, and a command that doesn't carry it", async () => {
    const { status, body } = await call("POST", "", { name: "east", labels: { env: "prod" } });
    expect(status).toBe(201);
    const { cluster, join } = createClusterResponseSchema.parse(body);
    expect(cluster).toMatchObject({
      name: "east",
      state: "never-connected",
      roles: ["proxy"],
      labels: { env: "prod" },
    });
    expect(Date.parse(join.expiresAt ?? "")).toBe(harness.clock.now() + 3_600_000);
    expect(join.command).toBe(
      "fairlead-agent --hub https://hub.test:8444 --roles proxy --token-file ./east.join-token",
    );
    expect((await harness.enroll({ token: join.token ?? "" })).cluster).toBe("east");
  });

  it("lists and shows what its own schemas describe", async () => {
    await call("POST", "", { name: "shown", roles: ["observe", "proxy"], tokenTtlMs: 60_000 });
    harness.links.push({
      id: "lnk_1",
      cluster: "shown",
      roles: ["proxy"],
      connectedAt: harness.clock.now(),
      notAfter: harness.clock.now() + 1000,
      remoteAddress: "192.0.2.1",
      hello: { agentInstanceId: "ins_1", agentVersion: "0.1.0" },
    });
    const list = clusterListSchema.parse((await call("GET", "")).body);
    expect(list.items.find(({ name }) => name === "shown")?.state).toBe("connected");
    const detail = clusterDetailSchema.parse((await call("GET", "/shown")).body);
    expect(detail.links).toMatchObject([{ id: "lnk_1", agentInstanceId: "ins_1" }]);
    expect(detail.events.map(({ type }) => type)).toEqual(["token-created", "created"]);
  });

  it("makes further tokens for the cluster's roles, without a body or with one", async () => {
    await call("POST", "", { name: "again", roles: ["observe", "proxy"] });
    const plain = joinSchema.parse((await call("POST", "/again/tokens")).body);
    expect((await harness.enroll({ token: plain.token ?? "", roles: ["observe", "proxy"] })).cluster).toBe("again");
    const { status, body } = await call("POST", "/again/tokens", { roles: ["observe"] });
    expect(status).toBe(201);
    await expect(harness.enroll({ token: body.token, roles: ["proxy"] })).rejects.toMatchObject({
      code: "ENROLL_ROLE_NOT_ALLOWED",
    });
  });

  it("revokes with or without a reason, and removes", async () => {
    await call("POST", "", { name: "ended" });
    expect((await call("POST", "/ended/revoke")).body).toMatchObject({ state: "revoked" });
    expect((await call("POST", "/ended/revoke", { reason: "lost" })).status).toBe(200);
    expect((await call("GET", "/ended")).body.events[0].message).toContain("lost");
    expect((await call("DELETE", "/ended")).status).toBe(204);
    expect((await call("GET", "/ended")).body.code).toBe("CLUSTER_NOT_FOUND");
  });

  it("changes settings that are named, shows them, and neither deletes nor revokes a protected cluster", async () => {
    await call("POST", "", { name: "set", labels: { env: "test", tier: "1" } });
    const changes = { labels: { env: "prod", tier: null }, displayName: "Zahlungen – Köln", protected: true };
    const shown = { labels: { env: "prod" }, displayName: "Zahlungen – Köln", protected: true };
    expect(await call("PATCH", "/set", changes)).toMatchObject({ status: 200, body: shown });
    expect((await call("PATCH", "/set", {})).body).toMatchObject(shown);
    expect(clusterDetailSchema.parse((await call("GET", "/set")).body)).toMatchObject(shown);
    const list = clusterListSchema.parse((await call("GET", "")).body);
    expect(list.items.find(({ name }) => name === "set")).toMatchObject(shown);
    for (const [method, path] of [
      ["DELETE", "/set"],
      ["POST", "/set/revoke"],
    ] as const)
      expect(await call(method, path)).toMatchObject({ status: 409, body: { code: "CLUSTER_PROTECTED" } });
    const open = await call("PATCH", "/set", { displayName: null, protected: false });
    expect([open.body.displayName, open.body.protected ?? false]).toEqual([undefined, false]);
    expect((await call("DELETE", "/set")).status).toBe(204);
  });

  it.each([
    [{ labels: { "bad key": "v" } }, "labels"],
    [{ labels: { env: 7 } }, "labels"],
    [{ labels: Object.fromEntries(Array.from({ length: 129 }, (_, at) => [`l${at}`, null])) }, "labels"],
    [{ displayName: "" }, "displayName"],
    [{ displayName: " east" }, "displayName"],
    [{ displayName: "two\nlines" }, "displayName"],
    [{ displayName: "turned \u202e around" }, "displayName"],
    [{ displayName: "\u001b[31m" }, "displayName"],
    [{ displayName: "x".repeat(101) }, "displayName"],
    [{ protected: "yes" }, "protected"],
    [{ roles: ["proxy"] }, "roles"],
  ])("changes nothing by the body %j and names the member", async (payload, member) => {
    await call("POST", "", { name: "kept" });
    const { status, body } = await call("PATCH", "/kept", payload);
    expect([status, body.code]).toEqual([400, "REQUEST_INVALID"]);
    expect(body.message).toContain(member);
  });

  it("says which name can't be, and that one is taken", async () => {
    await call("POST", "", { name: "taken" });
    expect(await call("POST", "", { name: "taken" })).toMatchObject({ status: 409, body: { code: "CLUSTER_EXISTS" } });
    for (const payload of [{ name: "Not A Label" }, { name: 7 }, {}]) {
      expect(await call("POST", "", payload)).toMatchObject({ status: 422, body: { code: "CLUSTER_NAME_INVALID" } });
    }
  });

  it.each([
    [{ name: "x", roles: [] }, "roles"],
    [{ name: "x", roles: ["root"] }, "roles"],
    [{ name: "x", tokenTtlMs: 0 }, "tokenTtlMs"],
    [{ name: "x", tokenTtlMs: "1h" }, "tokenTtlMs"],
    [{ name: "x", labels: { "bad key": "v" } }, "labels"],
    [{ name: "x", color: "red" }, "color"],
  ])("refuses the body %j and names the member", async (payload, member) => {
    const { status, body } = await call("POST", "", payload);
    expect([status, body.code]).toEqual([400, "REQUEST_INVALID"]);
    expect(body.message).toContain(member);
    expect(harness.clusters.exists("x")).toBe(false);
  });

  it.each(["GET", "PATCH", "DELETE"] as const)("answers %s of an unknown cluster with 404", async (method) => {
    expect(await call(method, "/nobody", method === "PATCH" ? {} : undefined)).toMatchObject({
      status: 404,
      body: { code: "CLUSTER_NOT_FOUND" },
    });
  });
});
