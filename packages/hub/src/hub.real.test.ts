// The hub as a whole, in process and in memory: real TLS, real enrollment, a real link; only the agent is a few lines.
import { until } from "@fairlead/kernel/testing";
import type { StreamAcceptor } from "@fairlead/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  answer,
  call,
  dial,
  enroll,
  openSocket,
  openTestHub,
  readRefusal,
  sayHello,
  type TestHub,
} from "./hub.fixture.ts";
import type { Hub } from "./index.ts";

let harness: TestHub;
let hub: Hub;
let admin: { readonly authorization: string };

beforeAll(async () => {
  harness = await openTestHub({ args: ["--drain", "2s"] });
  ({ hub, admin } = harness);
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

describe("the people's listener", () => {
  it("answers who may ask, and tells others why not with a problem", async () => {
    expect((await call(hub.peopleUrl, "/healthz")).status).toBe(200);
    expect((await call(hub.peopleUrl, "/readyz")).json).toMatchObject({ ready: true });
    expect((await call(hub.peopleUrl, "/api/v1/version")).json).toMatchObject({ protocolVersions: ["1"] });
    expect((await call(hub.peopleUrl, "/ca.pem")).text).toBe(hub.caPem);
    const refused = await call(hub.peopleUrl, "/api/v1/whoami");
    expect([refused.status, refused.headers["content-type"]]).toEqual([401, "application/problem+json; charset=utf-8"]);
    expect((await call(hub.peopleUrl, "/metrics")).status).toBe(401);
    expect((await call(hub.peopleUrl, "/api/v1/whoami", { headers: admin })).json).toMatchObject({ name: "admin" });
    const metrics = await call(hub.peopleUrl, "/metrics", { headers: admin });
    expect(metrics.text).toMatch(/^fairlead_links \d/m);
    expect(metrics.text).toMatch(/^fairlead_bus_up\{adapter="memory"\} 1$/m);
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
    const identity = await enroll("east", harness);
    const link = await dial(identity, harness, answerHello);
    const welcome = await sayHello(link, "east");
    expect((await call(hub.peopleUrl, "/k8s/clusters/east/api", { headers: admin })).text).toBe("hello from GET /api");
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
    expect(await readRefusal(openSocket(identity, harness))).toMatchObject({
      status: 403,
      json: { code: "IDENTITY_REVOKED" },
    });
  });

  it("without a certificate, or with one of another hub, gets no link and is told why", async () => {
    expect(await readRefusal(openSocket({}, harness))).toMatchObject({
      status: 401,
      json: { code: "LINK_CERTIFICATE_REQUIRED" },
    });
  });

  it("with a newer link is reached over that one", async () => {
    const identity = await enroll("twice", harness);
    const older = await dial(identity, harness, answer("older"));
    const newer = await dial(identity, harness, answer("newer"));
    await sayHello(older, "twice", [1], "i1");
    await sayHello(newer, "twice", [1], "i2");
    const path = "/k8s/clusters/twice/api";
    await until(() => harness.lines.filter((line) => line.includes('"cluster":"twice"')).length >= 2, "two links");
    expect((await call(hub.peopleUrl, path, { headers: admin })).text).toBe("newer");
    newer.close("gone");
    await until(
      () => harness.lines.some((line) => line.includes("agent link closed") && line.includes("twice")),
      "its end",
    );
    expect((await call(hub.peopleUrl, path, { headers: admin })).text).toBe("older");
    older.close("done");
  });
});

describe("a hub that stops", () => {
  it("says GOAWAY, ends watches cleanly, lets requests finish and then cuts its links", async () => {
    const stopping = await openTestHub({ args: ["--drain", "5s"] });
    const { peopleUrl } = stopping.hub;
    const headers = stopping.admin;
    const identity = await enroll("east", stopping);
    const finishes: (() => void)[] = [];
    const link = await dial(identity, stopping, (stream) => {
      stream.respond({ status: 200, headers: ["Content-Type", "application/json;stream=watch"] });
      stream.write(Buffer.from('{"type":"ADDED"}\n'));
      finishes.push(() => stream.end());
      return { onData() {}, onEnd() {}, onReset() {} };
    });
    await sayHello(link, "east");
    const watch = call(peopleUrl, "/k8s/clusters/east/api/v1/pods?watch=1", { headers });
    await until(() => finishes.length === 1, "the watch");
    const list = call(peopleUrl, "/k8s/clusters/east/api/v1/pods", { headers });
    await until(() => finishes.length === 2, "the list");
    const goAway = new Promise((resolve) => {
      link.onGoAway = resolve;
    });
    const stopped = stopping[Symbol.asyncDispose]();
    expect(await goAway).toMatchObject({ reason: "hub is stopping" });
    expect((await watch).text).toMatch(/^\{"type":"ADDED"\}\n\{"type":"ERROR".*the hub is stopping.*\}\n$/);
    finishes[1]?.();
    expect((await list).text).toBe('{"type":"ADDED"}\n');
    await stopped;
    expect(await link.closed).toMatchObject({ reason: "closed-by-peer" });
    await expect(call(peopleUrl, "/healthz")).rejects.toThrow();
  });
});

const answerHello: StreamAcceptor = (stream) => answer(`hello from ${stream.open.method} ${stream.open.path}`)(stream);

describe("the address that agents are told", () => {
  it("has the name that people use, when only that is configured", async () => {
    await using named = await openTestHub({ args: ["--public-url", "https://hub.example.com:8443"] });
    expect(named.hub.agentUrl).toMatch(/^https:\/\/hub\.example\.com:\d+$/);
  });
});
