// The agent's proxy and its Secret against a real API server, over a real link; the hub's half is played by the test.
import { type ClusterAccess, createKubeClient, loadKubeconfig } from "@fairlead/kube";
import { resetCodes } from "@fairlead/protocol";
import { type LeasedCluster, leaseCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createSecretStorage } from "./identity/index.ts";
import { call, headerOf, openWire, type Wire } from "./proxy/wire.fixture.ts";

let cluster: LeasedCluster;
let access: ClusterAccess;
let wire: Wire;

beforeAll(async () => {
  cluster = await leaseCluster({ name: "agent" });
  access = await loadKubeconfig({ path: cluster.adminKubeconfig });
  wire = await openWire({ access });
  await cluster.kubectl(["create", "clusterrolebinding", "alice", "--clusterrole=cluster-admin", "--user=alice"]);
  await cluster.kubectl(["run", "pod", "--image=any", "--restart=Never"]);
  await cluster.kubectl(["wait", "--for=condition=Ready", "pod/pod", "--timeout=60s"]);
});
afterAll(async () => {
  await wire?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

test("objects are read and written, and the API server's own errors pass unchanged", async () => {
  const body = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "made" } }));
  const headers = ["Content-Type", "application/json", "Content-Length", String(body.length)];
  const path = "/api/v1/namespaces/default/configmaps";
  const created = await call(wire.hub, { method: "POST", path, headers }, body).answer;
  expect(created.head.status).toBe(201);
  const again = await call(wire.hub, { method: "POST", path, headers }, body).answer;
  expect(JSON.parse(again.body.toString())).toMatchObject({ kind: "Status", reason: "AlreadyExists", code: 409 });
  const removed = await call(wire.hub, { method: "DELETE", path: `${path}/made` }).answer;
  expect(removed.head.status).toBe(200);
});

test("the request's id is the API server's audit id", async () => {
  const { head } = await call(wire.hub, { path: "/version", requestId: "req_0123456789" }).answer;
  expect(headerOf(head.headers, "audit-id")).toBe("req_0123456789");
});

test("a server-side apply of 900 KiB arrives, compressed lists and protobuf pass as they are", async () => {
  const data = { big: "x".repeat(900 * 1024) };
  const body = Buffer.from(JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "big" }, data }));
  const headers = ["Content-Type", "application/apply-patch+yaml", "Content-Length", String(body.length)];
  const path = "/api/v1/namespaces/default/configmaps/big?fieldManager=test&force=true";
  expect((await call(wire.hub, { method: "PATCH", path, headers }, body).answer).head.status).toBe(201);

  const list = "/api/v1/namespaces/default/configmaps";
  const zipped = await call(wire.hub, { path: list, headers: ["Accept-Encoding", "gzip"] }).answer;
  expect(headerOf(zipped.head.headers, "content-encoding")).toBe("gzip");
  const accept = ["Accept", "application/vnd.kubernetes.protobuf"];
  const binary = await call(wire.hub, { path: list, headers: accept }).answer;
  expect(binary.body.subarray(0, 3).toString()).toBe("k8s");
  expect(binary.body.length).toBeGreaterThan(900 * 1024);
});

test("a watch shows each change at once and ends upstream when its client leaves", async () => {
  const path = "/api/v1/namespaces/default/configmaps?watch=1&fieldSelector=metadata.name%3Dwatched";
  const { stream, head, chunks } = call(wire.hub, { path });
  expect((await head).status).toBe(200);
  await cluster.kubectl(["create", "configmap", "watched"]);
  await vi.waitFor(() => expect(Buffer.concat(chunks).toString()).toContain('"type":"ADDED"'), 5_000);
  await cluster.kubectl(["delete", "configmap", "watched"]);
  await vi.waitFor(() => expect(Buffer.concat(chunks).toString()).toContain('"type":"DELETED"'), 5_000);
  stream.reset(resetCodes.cancelled);
  await vi.waitFor(() => expect(wire.counters.inFlight).toBe(0));
});

test("logs are followed line by line", async () => {
  const { stream, head, chunks } = call(wire.hub, { path: "/api/v1/namespaces/default/pods/pod/log?follow=true" });
  expect((await head).status).toBe(200);
  for (const line of ["first\n", "second\n"]) {
    await cluster.writeLog({ namespace: "default", pod: "pod", container: "pod", text: line });
    await vi.waitFor(() => expect(Buffer.concat(chunks).toString()).toContain(line), 10_000);
  }
  stream.reset(resetCodes.cancelled);
});

test("exec over a websocket gives the command's output and ends", async () => {
  const query = "command=sh&command=-c&command=echo%20out&stdout=true&stderr=true";
  const { stream, head, answer, chunks } = call(
    wire.hub,
    {
      path: `/api/v1/namespaces/default/pods/pod/exec?${query}`,
      upgrade: true,
      headers: [
        "Connection",
        "Upgrade",
        "Upgrade",
        "websocket",
        "Sec-WebSocket-Version",
        "13",
        "Sec-WebSocket-Key",
        "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol",
        "v5.channel.k8s.io",
      ],
    },
    "open",
  );
  expect(headerOf((await head).headers, "sec-websocket-protocol")).toBe("v5.channel.k8s.io");
  await vi.waitFor(() => expect(Buffer.concat(chunks).toString("latin1")).toContain("out\n"), 10_000);
  await vi.waitFor(() => expect(Buffer.concat(chunks).toString("latin1")).toContain('"status":"Success"'), 10_000);
  stream.end();
  await answer.catch(() => undefined);
});

test("exec that RBAC or the API server refuses is its own Status", async () => {
  const headers = ["Connection", "Upgrade", "Upgrade", "SPDY/3.1", "X-Stream-Protocol-Version", "v4.channel.k8s.io"];
  const path = "/api/v1/namespaces/default/pods/none/exec?command=ls&stdout=true";
  const { head, body } = await call(wire.hub, { method: "POST", path, upgrade: true, headers }).answer;
  expect([head.status, JSON.parse(body.toString()).reason]).toEqual([404, "NotFound"]);
});

test("an identity is kept in a Secret, and a second writer sees the first", async () => {
  await using client = createKubeClient({ access });
  const storage = createSecretStorage({ client });
  expect(await storage.read()).toEqual({});
  const mine = { keyPem: "mine", tokenId: "t1" };
  const theirs = { keyPem: "theirs", tokenId: "t1" };
  const adopt = (pending: typeof mine) =>
    storage.update((current) => (current.pending ? current : { ...current, pending }));
  const results = await Promise.all([adopt(mine), adopt(theirs)]);
  expect(results[0]?.pending).toEqual(results[1]?.pending);
  expect((await storage.read()).pending).toEqual(results[0]?.pending);

  // Someone else writes between our read and our write.
  let isFirst = true;
  const annotate = ["annotate", "secret", "fairlead-agent-identity", "seen=1"];
  const storageThatLags = createSecretStorage({
    client: {
      ...client,
      request: async (request) => {
        if (request.method === "PUT" && isFirst) {
          isFirst = false;
          await cluster.kubectl(annotate);
        }
        return client.request(request);
      },
    },
  });
  await storageThatLags.update((current) => ({ ...current, pending: { keyPem: "later", tokenId: "t2" } }));
  expect((await storage.read()).pending?.keyPem).toBe("later");
  const secret = await client.request<{ metadata: { annotations: object } }>({
    path: "/api/v1/namespaces/default/secrets/fairlead-agent-identity",
  });
  expect(secret.metadata.annotations).toEqual({ seen: "1" });
});

test("a Secret that RBAC forbids is said with its place", async () => {
  const bare = await loadKubeconfig({
    path: await cluster.kubeconfigForServiceAccount({ namespace: "default", name: "default" }),
  });
  await using client = createKubeClient({ access: bare });
  await expect(createSecretStorage({ client }).read()).rejects.toMatchObject({
    code: "IDENTITY_STORE_FAILED",
    message: expect.stringContaining("Secret default/fairlead-agent-identity"),
    retryable: true,
  });
});

test("an API server that is killed breaks what was open, is a sentence meanwhile, and works when it is back", async () => {
  const watch = call(wire.hub, { path: "/api/v1/namespaces?watch=1" });
  await watch.head;
  await cluster.apiServer.stop({ graceMs: 0 });
  await expect(watch.answer).rejects.toMatchObject({ resetCode: resetCodes.upstreamBroken });
  const { head, body } = await call(wire.hub, { path: "/version" }).answer;
  expect(head.status).toBe(503);
  expect(JSON.parse(body.toString()).message).toContain("can't reach its API server");
  await cluster.apiServer.start();
  await vi.waitFor(async () => expect((await call(wire.hub, { path: "/readyz" }).answer).head.status).toBe(200), {
    timeout: 30_000,
    interval: 200,
  });
  expect(wire.counters.inFlight).toBe(0);
});
