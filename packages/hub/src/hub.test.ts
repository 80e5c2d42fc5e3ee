// The hub as a whole, in process and in memory: real TLS, real enrollment, a real link; only the agent is a few lines.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import { createClient } from "@connectrpc/connect";
import {
  attachLink,
  createLinkTransport,
  type Link,
  LinkService,
  linkPath,
  linkSocketOptions,
  linkSubprotocol,
  type StreamAcceptor,
} from "@fairlead/protocol";
import { createCsr } from "@fairlead/protocol/x509";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { readInvocation } from "./config/index.ts";
import { type Hub, startHub } from "./index.ts";
import { until } from "./proxy/proxy-bed.fixture.ts";
import { openMemoryStore } from "./store/memory-store.fixture.ts";
import { createLogger } from "./telemetry/index.ts";

let hub: Hub;
let admin: Record<string, string>;
const lines: string[] = [];

beforeAll(async () => {
  hub = await start(["--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0", "--drain-ms", "2000"]);
  admin = { authorization: `Bearer ${hub.firstAdminToken}` };
}, 60_000);
afterAll(() => hub[Symbol.asyncDispose]());

describe("the people's listener", () => {
  it("answers who may ask, and tells others why not with a problem", async () => {
    expect((await call(hub.peopleUrl, "/healthz")).status).toBe(200);
    expect((await call(hub.peopleUrl, "/readyz")).json).toMatchObject({ ready: true });
    expect((await call(hub.peopleUrl, "/api/v1/version")).json).toMatchObject({ protocolVersions: ["1"] });
    expect((await call(hub.peopleUrl, "/ca.pem")).text).toBe(hub.caPem);
    const refused = await call(hub.peopleUrl, "/api/v1/whoami");
    expect([refused.status, refused.headers["content-type"]]).toEqual([401, "application/problem+json; charset=utf-8"]);
    expect((await call(hub.peopleUrl, "/metrics")).status).toBe(401);
    expect((await call(hub.peopleUrl, "/api/v1/whoami", { headers: admin })).json).toEqual({ name: "admin" });
    const metrics = await call(hub.peopleUrl, "/metrics", { headers: admin });
    expect(metrics.text).toMatch(/^fairlead_links \d/m);
    expect((await call(hub.peopleUrl, "/nowhere", { headers: admin })).json).toMatchObject({
      code: "API_ROUTE_UNKNOWN",
    });
  });

  it("answers broken JSON with a code and echoes a sane request id", async () => {
    const headers = { ...admin, "content-type": "application/json", "x-request-id": "mine-1" };
    const answer = await call(hub.peopleUrl, "/api/v1/clusters", { method: "POST", headers, body: "{" });
    expect(answer.json).toMatchObject({ status: 400, code: "API_REQUEST_INVALID", requestId: "mine-1" });
    expect(answer.headers["x-request-id"]).toBe("mine-1");
  });
});

describe("an agent", () => {
  it("enrolls, links, says hello, serves its cluster's API, and is cut when it is revoked", async () => {
    const identity = await enroll("east");
    const link = await dial(identity, answerHello);
    expect((await call(hub.peopleUrl, "/k8s/clusters/east/api", { headers: admin })).text).toBe("hello from GET /api");
    const welcome = await sayHello(link, "east");
    expect(welcome).toMatchObject({ cluster: "east", protocolVersion: 1 });
    const shown = await call(hub.peopleUrl, "/api/v1/clusters/east", { headers: admin });
    expect(shown.json).toMatchObject({
      state: "connected",
      kubernetesVersion: "v1.36.3",
      links: [{ agentInstanceId: "i1" }],
    });
    await expect(sayHello(link, "west")).rejects.toThrow(/LINK_HELLO_MISMATCH/);

    await call(hub.peopleUrl, "/api/v1/clusters/east/revoke", { method: "POST", headers: admin, body: "" });
    expect(await link.closed).toMatchObject({ reason: "closed-by-peer" });
    const offline = await call(hub.peopleUrl, "/k8s/clusters/east/api", { headers: admin });
    expect([offline.status, offline.json]).toMatchObject([503, { kind: "Status", reason: "ServiceUnavailable" }]);
    expect(await refusal({ ...identity })).toMatchObject({ status: 403, json: { code: "IDENTITY_REVOKED" } });
  });

  it("without a certificate, or with one of another hub, gets no link and is told why", async () => {
    expect(await refusal({})).toMatchObject({ status: 401, json: { code: "LINK_CERTIFICATE_REQUIRED" } });
  });

  it("with a newer link is reached over that one", async () => {
    const identity = await enroll("twice");
    const older = await dial(identity, answer("older"));
    const newer = await dial(identity, answer("newer"));
    const path = "/k8s/clusters/twice/api";
    await until(() => lines.filter((line) => line.includes('"cluster":"twice"')).length >= 2, "two links");
    expect((await call(hub.peopleUrl, path, { headers: admin })).text).toBe("newer");
    newer.close("gone");
    await until(() => lines.some((line) => line.includes("agent link closed") && line.includes("twice")), "its end");
    expect((await call(hub.peopleUrl, path, { headers: admin })).text).toBe("older");
    older.close("done");
  });
});

describe("a hub that stops", () => {
  it("says GOAWAY, ends watches cleanly, lets requests finish and then cuts its links", async () => {
    const stopping = await start(["--listen", "127.0.0.1:0", "--agent-listen", "127.0.0.1:0", "--drain-ms", "5000"]);
    const headers = { authorization: `Bearer ${stopping.firstAdminToken}` };
    const identity = await enroll("east", stopping, headers);
    const finishes: (() => void)[] = [];
    const link = await dial(
      identity,
      (stream) => {
        stream.respond({ status: 200, headers: [] });
        stream.write(Buffer.from('{"type":"ADDED"}\n'));
        finishes.push(() => stream.end());
        return { onData() {}, onEnd() {}, onReset() {} };
      },
      stopping,
    );
    const watch = call(stopping.peopleUrl, "/k8s/clusters/east/api/v1/pods?watch=1", { headers });
    await until(() => finishes.length === 1, "the watch");
    const list = call(stopping.peopleUrl, "/k8s/clusters/east/api/v1/pods", { headers });
    await until(() => finishes.length === 2, "the list");
    const goAway = new Promise((resolve) => {
      link.onGoAway = resolve;
    });
    const stopped = stopping[Symbol.asyncDispose]();
    expect(await goAway).toMatchObject({ reason: "hub is stopping" });
    expect((await watch).text).toBe('{"type":"ADDED"}\n');
    finishes[1]?.();
    expect((await list).text).toBe('{"type":"ADDED"}\n');
    await stopped;
    expect(await link.closed).toMatchObject({ reason: "closed-by-peer" });
    await expect(call(stopping.peopleUrl, "/healthz")).rejects.toThrow();
  });
});

async function start(args: string[]): Promise<Hub> {
  const invocation = readInvocation({ args: ["--in-memory", ...args], env: {} });
  if (!("config" in invocation)) throw new Error("no configuration");
  const log = createLogger({ level: "info", name: "hub", destination: { write: (line) => void lines.push(line) } });
  return await startHub(invocation.config, { log, store: await openMemoryStore() });
}

interface AgentIdentity {
  readonly cert?: string;
  readonly key?: string;
}

async function enroll(cluster: string, on: Hub = hub, headers: Record<string, string> = admin): Promise<AgentIdentity> {
  const json = { "content-type": "application/json" };
  const created = await call(on.peopleUrl, "/api/v1/clusters", {
    method: "POST",
    headers: { ...headers, ...json },
    body: JSON.stringify({ name: cluster }),
  });
  const { token } = (created.json as { join: { token: string } }).join;
  const { keyPem, csrDer } = await createCsr({});
  const body = JSON.stringify({ token, csrDer: Buffer.from(csrDer).toString("base64"), roles: ["proxy"] });
  const answer = await call(on.agentUrl, "/agent/v1/enroll", { method: "POST", headers: json, body });
  expect(answer.status).toBe(200);
  return { cert: (answer.json as { certificateChainPem: string }).certificateChainPem, key: keyPem };
}

async function dial(identity: AgentIdentity, accept: StreamAcceptor, on: Hub = hub): Promise<Link> {
  const socket = openSocket(identity, on);
  await once(socket, "open");
  return attachLink({ socket, accept });
}

async function refusal(identity: AgentIdentity): Promise<{ status: number | undefined; json: unknown }> {
  const socket = openSocket(identity, hub);
  socket.on("error", () => undefined);
  const [, answer] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  return { status: answer.statusCode, json: JSON.parse(await readText(answer)) };
}

function openSocket(identity: AgentIdentity, on: Hub): WebSocket {
  const url = on.agentUrl.replace("https:", "wss:") + linkPath;
  return new WebSocket(url, linkSubprotocol, { ...linkSocketOptions, ...identity, ca: on.caPem });
}

function sayHello(link: Link, cluster: string) {
  return createClient(LinkService, createLinkTransport({ link })).hello({
    ...{ cluster, agentInstanceId: "i1", agentVersion: "0.1.0", protocolVersions: [1, 9] },
    ...{ kubernetesVersion: "v1.36.3", sentAtMs: BigInt(Date.now()) },
  });
}

const answerHello: StreamAcceptor = (stream) => answer(`hello from ${stream.open.method} ${stream.open.path}`)(stream);

function answer(text: string): StreamAcceptor {
  return (stream) => {
    stream.respond({ status: 200, headers: ["Content-Length", String(text.length)] });
    stream.write(Buffer.from(text));
    stream.end();
    return { onData() {}, onEnd() {}, onReset() {} };
  };
}

async function call(url: string, path: string, options: RequestOptions & { body?: string } = {}) {
  const { body, ...rest } = options;
  const agent = new Agent({ keepAlive: false, rejectUnauthorized: false });
  const client = request(url + path, { ...rest, agent });
  client.end(body);
  const [response] = (await once(client, "response")) as [IncomingMessage];
  const text = await readText(response);
  const isJson = /json/.test(response.headers["content-type"] ?? "");
  return { status: response.statusCode, headers: response.headers, text, json: isJson ? JSON.parse(text) : undefined };
}

async function readText(response: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}
