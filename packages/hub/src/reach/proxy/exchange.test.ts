import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { until } from "@fairlead/kernel/testing";
import { resetCodes } from "@fairlead/protocol";
import { describe, expect, it } from "vitest";
import { authorized, openProxyHarness, sendRaw } from "./proxy-harness.fixture.ts";

describe("a proxied request", () => {
  it("passes method, path, lines and body on, and one id from end to end", async () => {
    const seen: string[][] = [];
    await using harness = await openProxyHarness({
      upstream(req, res) {
        seen.push([req.method ?? "", req.url ?? "", ...req.rawHeaders]);
        res.writeHead(201, ["X-A", "1", "X-A", "2", "Content-Type", "text/plain"]);
        req.pipe(res);
      },
    });
    const answer = await fetch(`${harness.url}/api/v1/pods?x=%2F&y=a+b`, {
      method: "PATCH",
      body: "hello",
      headers: { ...authorized, "x-request-id": "my-id.1", "impersonate-user": "system:admin", "x-remote-group": "g" },
    });
    expect([answer.status, await answer.text()]).toEqual([201, "hello"]);
    expect(answer.headers.get("x-a")).toBe("1, 2");
    expect(answer.headers.get("x-request-id")).toBe("my-id.1");
    const lines = seen[0]?.join("\n") ?? "";
    expect(seen[0]?.slice(0, 2)).toEqual(["PATCH", "/api/v1/pods?x=%2F&y=a+b"]);
    expect(lines).toContain("Audit-ID\nmy-id.1");
    expect(lines).not.toMatch(/impersonate|x-remote|authorization|good/i);
    expect(harness.proxy.counters.active).toBe(0);
  });

  it("streams megabytes up and down unchanged", async () => {
    await using harness = await openProxyHarness({ upstream: (req, res) => void req.pipe(res) });
    const body = randomBytes(5 * 1024 * 1024);
    const answer = await fetch(harness.url, { method: "POST", body, headers: authorized });
    const echoed = Buffer.from(await answer.arrayBuffer());
    expect(hash(echoed)).toBe(hash(body));
  });

  it("shows the head of an answer before its body begins, and each event at once", async () => {
    const begun = Promise.withResolvers<{ write(text: string): void }>();
    await using harness = await openProxyHarness({
      upstream(_req, res) {
        res.writeHead(200, { "content-type": "application/json" }).flushHeaders();
        begun.resolve(res);
      },
    });
    const answer = await fetch(`${harness.url}/api/v1/pods?watch=true`, { headers: authorized });
    expect(answer.status).toBe(200);
    const reader = answer.body?.getReader();
    (await begun.promise).write('{"type":"ADDED"}\n');
    const event = await reader?.read();
    expect(Buffer.from(event?.value ?? []).toString()).toBe('{"type":"ADDED"}\n');
    harness.proxy.endWatches();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toMatch(/^\{"type":"ERROR".*\}\n$/);
    expect((await reader?.read())?.done).toBe(true);
  });

  it.each([
    ["HEAD", 200],
    ["GET", 204],
    ["GET", 304],
  ])("carries %s with status %d, which have no body", async (method, status) => {
    await using harness = await openProxyHarness({
      upstream: (_req, res) => void res.writeHead(status, status === 200 ? { "content-length": "1234" } : {}).end(),
    });
    const raw = `${method} /k8s/clusters/east/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nConnection: close\r\n\r\n`;
    const answer = await sendRaw(harness.port, raw);
    expect([answer.status, answer.body]).toEqual([status, ""]);
    expect(answer.head).not.toMatch(/transfer-encoding/i);
    if (status === 200) expect(answer.head).toMatch(/content-length: 1234/i);
  });

  it("carries trailers, both ways", async () => {
    const trailers: string[] = [];
    await using harness = await openProxyHarness({
      upstream(req, res) {
        req.resume();
        req.once("end", () => {
          trailers.push(...req.rawTrailers);
          res.writeHead(200, { trailer: "X-Sum" });
          res.write("body");
          res.addTrailers({ "X-Sum": "42" });
          res.end();
        });
      },
    });
    const answer = await sendRaw(
      harness.port,
      "POST /k8s/clusters/east/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nConnection: close\r\n" +
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    );
    expect(answer.body).toContain("X-Sum: 42");
  });

  it("passes a request's trailers on behind its body", async () => {
    await using harness = await openProxyHarness({
      async upstream(req, res) {
        let body = "";
        for await (const chunk of req) body += String(chunk);
        res.end(JSON.stringify({ body, trailers: req.rawTrailers }));
      },
    });
    const answer = await sendRaw(
      harness.port,
      "POST /k8s/clusters/east/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nConnection: close\r\n" +
        "Trailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 42\r\n\r\n",
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toContain('{"body":"abc","trailers":["X-Sum","42"]}');
  });

  it("asks for the body only when somebody will read it", async () => {
    await using harness = await openProxyHarness({ upstream: (req, res) => void req.pipe(res) });
    const asked = await expectContinue(`${harness.url}/`, authorized);
    expect(asked).toEqual({ continued: true, status: 200, body: "payload", connection: "keep-alive" });
    const refused = await expectContinue(`http://127.0.0.1:${harness.port}/k8s/clusters/offline/`, authorized);
    expect(refused).toMatchObject({ continued: false, status: 503, connection: "close" });
    const unknown = await expectContinue(`http://127.0.0.1:${harness.port}/k8s/clusters/west/`, authorized);
    expect(unknown).toMatchObject({ continued: false, status: 404, connection: "close" });
  });
});

describe("an exchange that breaks", () => {
  it.each([
    ["chunked", {}],
    ["with a length", { "content-length": "1000" }],
  ])("after its head, %s, never looks whole to the client", async (_name, headers) => {
    await using harness = await openProxyHarness({
      upstream(_req, res) {
        res.writeHead(200, headers);
        res.write("half");
        setTimeout(() => res.destroy(), 50);
      },
    });
    await expect(fetch(harness.url, { headers: authorized }).then((answer) => answer.text())).rejects.toThrow();
    await until(() => harness.proxy.counters.active === 0, "nothing in flight");
    expect(harness.failures).toHaveLength(1);
  });

  it("with its link never looks whole either, and says 503 when it had not begun", async () => {
    const begun = Promise.withResolvers<void>();
    await using harness = await openProxyHarness({
      upstream(req, res) {
        if (req.url === "/slow") return begun.resolve();
        res.writeHead(200);
        res.write("half");
      },
    });
    const slow = fetch(`${harness.url}/slow`, { headers: authorized });
    const answer = await fetch(harness.url, { headers: authorized });
    await begun.promise;
    harness.agentLink.close("cut");
    await expect(answer.text()).rejects.toThrow();
    const refused = await slow;
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await refused.json()).toMatchObject({ kind: "Status", reason: "ServiceUnavailable", code: 503 });
  });

  it("with less or more than the announced length is cut", async () => {
    await using harness = await openProxyHarness({
      accept(stream) {
        stream.respond({ status: 200, headers: ["Content-Length", "10"] });
        stream.write(Buffer.from("short"));
        stream.end();
        return { onData() {}, onEnd() {}, onReset() {} };
      },
    });
    await expect(fetch(harness.url, { headers: authorized }).then((answer) => answer.text())).rejects.toThrow();
  });

  it.each([
    [resetCodes.upstreamUnreachable, 502, "PROXY_UPSTREAM_UNREACHABLE"],
    [resetCodes.upstreamBroken, 502, "PROXY_UPSTREAM_FAILED"],
    [resetCodes.overloaded, 503, "PROXY_LINK_LOST"],
    [resetCodes.deadline, 504, "PROXY_DEADLINE"],
  ] as const)("before its head by reset %d says %d", async (code, status, reason) => {
    await using harness = await openProxyHarness({
      accept(stream) {
        queueMicrotask(() => stream.reset(code));
        return { onData() {}, onEnd() {}, onReset() {} };
      },
    });
    const answer = await fetch(harness.url, { headers: authorized });
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ kind: "Status", code: status, details: { causes: [{ reason }] } });
  });

  it("with headers that HTTP can't carry says 502", async () => {
    await using harness = await openProxyHarness({
      accept(stream) {
        stream.respond({ status: 200, headers: ["Content-Length", "many"] });
        return { onData() {}, onEnd() {}, onReset() {} };
      },
    });
    expect((await fetch(harness.url, { headers: authorized })).status).toBe(502);
  });

  it("gives up on a head that doesn't come", async () => {
    await using harness = await openProxyHarness({ upstream() {}, headDeadlineMs: 300 });
    const answer = await fetch(harness.url, { headers: authorized });
    expect(answer.status).toBe(504);
    expect(await answer.json()).toMatchObject({ reason: "Timeout" });
  });
});

describe("a client", () => {
  it("that hangs up ends the stream at once, however many do", async () => {
    let open = 0;
    await using harness = await openProxyHarness({
      upstream(_req, res) {
        open += 1;
        res.on("close", () => {
          open -= 1;
        });
        res.write("begun");
      },
    });
    for (let round = 0; round < 5; round += 1) {
      const controllers = await Promise.all(Array.from({ length: 40 }, () => openAndKeep(harness.url)));
      for (const abort of controllers) abort();
    }
    await until(() => harness.proxy.counters.active === 0, "no request in flight");
    await until(() => open === 0, "no request at the upstream");
    const { streams, credit } = harness.hubLink.stats();
    expect([streams, credit.heldBytes, credit.queuedBytes]).toEqual([{ opening: 0, open: 0, halfClosed: 0 }, 0, 0]);
    expect(harness.failures).toEqual([]);
  });

  it("that stops reading holds a bounded piece of an endless answer, and others go on", async () => {
    let sentBytes = 0;
    await using harness = await openProxyHarness({
      upstream(req, res) {
        if (req.url === "/small") return void res.end("small");
        const chunk = Buffer.alloc(64 * 1024);
        const fill = (): void => {
          while (!res.destroyed) {
            sentBytes += chunk.length;
            if (!res.write(chunk)) break;
          }
        };
        res.on("drain", fill);
        fill();
      },
    });
    const client = request(`${harness.url}/log`, { headers: authorized });
    client.end();
    const [answer] = (await once(client, "response")) as [IncomingMessage];
    answer.pause();
    let before = -1;
    // It has stalled when nothing moved for a while.
    while (before !== sentBytes) {
      before = sentBytes;
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    expect(sentBytes).toBeLessThan(48 * 1024 * 1024);
    // A window, as large as it may grow.
    expect(harness.hubLink.stats().credit.heldBytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    const small = await fetch(`${harness.url}/small`, { headers: authorized });
    expect(await small.text()).toBe("small");
    client.destroy();
    await until(() => harness.proxy.counters.active === 0, "nothing in flight");
  });
});

describe("our own answers", () => {
  it("are Status objects that kubectl can print", async () => {
    await using harness = await openProxyHarness();
    const at = (path: string) =>
      fetch(`http://127.0.0.1:${harness.port}/k8s/clusters/${path}`, { headers: authorized });
    const offline = await at("offline/api/v1/pods");
    expect(offline.status).toBe(503);
    expect(await offline.json()).toMatchObject({
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      reason: "ServiceUnavailable",
      message: expect.stringContaining('cluster "offline" is not connected'),
    });
    const unknown = await at("west/api/v1/pods");
    expect([unknown.status, unknown.headers.get("content-type")]).toEqual([404, "application/json"]);
    expect(await unknown.json()).toMatchObject({ reason: "NotFound", message: 'this hub has no cluster named "west"' });
    expect(unknown.headers.get("warning")).toBeNull();
    // kubectl shows nothing of an error's body on discovery, but it prints warnings.
    const discovery = await at("west/api?timeout=32s");
    expect(discovery.headers.get("warning")).toBe('299 fairlead "this hub has no cluster named \\"west\\""');
    const offlineRoot = await at("offline/apis");
    expect(offlineRoot.headers.get("warning")).toContain("is not connected");
    expect((await at("ea%2Fst/api")).status).toBe(404);
  });

  it.each([
    ["new", /its agent has never connected$/],
    ["offline", /it has been offline since 2030-01-02T03:04:05Z$/],
    ["revoked", /it was revoked at 2030-01-02T03:04:05Z/],
    ["watched", /none that serves the cluster's API/],
  ])("about a cluster that is %s say so, and that asking again at once is no use", async (cluster, sentence) => {
    await using harness = await openProxyHarness();
    const askedMs = Date.now();
    const answer = await fetch(`http://127.0.0.1:${harness.port}/k8s/clusters/${cluster}/api`, { headers: authorized });
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ message: sentence, details: { retryAfterSeconds: 30 } });
    // RFC 9110's date, which client-go doesn't take for seconds. It has no fractions.
    const retryAfter = answer.headers.get("retry-after") ?? "";
    expect(retryAfter).toMatch(/^\w{3}, \d{2} \w{3} \d{4} [\d:]{8} GMT$/);
    expect(Date.parse(retryAfter)).toBeGreaterThanOrEqual(askedMs + 29_000);
    expect(Date.parse(retryAfter)).toBeLessThanOrEqual(Date.now() + 30_000);
  });

  it("about a cluster that was cut off a moment ago make clients wait for it", async () => {
    await using harness = await openProxyHarness();
    const answer = await fetch(`http://127.0.0.1:${harness.port}/k8s/clusters/cut/api`, { headers: authorized });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await answer.json()).toMatchObject({
      message: expect.stringContaining("it has been offline since"),
      details: { retryAfterSeconds: 1 },
    });
  });
});

function hash(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

async function openAndKeep(url: string): Promise<() => void> {
  const client = request(url, { headers: authorized, agent: false });
  client.on("error", () => undefined);
  client.end();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  answer.on("error", () => undefined);
  return () => client.destroy();
}

async function expectContinue(url: string, headers: Record<string, string>) {
  const client = request(url, {
    method: "PUT",
    headers: { ...headers, expect: "100-continue", "content-length": "7" },
  });
  let continued = false;
  client.on("continue", () => {
    continued = true;
    client.end("payload");
  });
  client.on("error", () => undefined);
  client.flushHeaders();
  const [answer] = (await once(client, "response")) as [IncomingMessage];
  let body = "";
  for await (const chunk of answer) body += String(chunk);
  client.destroy();
  return { continued, status: answer.statusCode, body, connection: answer.headers.connection };
}
