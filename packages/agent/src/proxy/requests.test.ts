import { once } from "node:events";
import { createServer as createTcpServer } from "node:net";
import { resetCodes } from "@fairlead/protocol";
import { expect, test, vi } from "vitest";
import { accessTo, call, headerOf, listen, openWire, startUpstream } from "./wire.fixture.ts";

test("a request reaches the API server with the agent's credential and the client's lines in order", async () => {
  const seen: { method?: string | undefined; url?: string | undefined; raw: string[] }[] = [];
  await using upstream = await startUpstream((request, response) => {
    seen.push({ method: request.method, url: request.url, raw: request.rawHeaders });
    response.writeHead(200, ["X-One", "1", "x-two", "2", "X-One", "3", "Content-Length", "2"]);
    response.end("ok");
  });
  await using wire = await openWire({ access: upstream.access });
  const { answer } = call(wire.hub, {
    path: "/api/v1/pods?watch=0",
    requestId: "req_1",
    headers: ["Host", "hub", "X-B", "1", "x-a", "2", "X-B", "3", "Connection", "keep-alive, X-Gone", "X-Gone", "no"],
  });
  const { head, body } = await answer;
  expect(head.status).toBe(200);
  expect(body.toString()).toBe("ok");
  expect(head.headers.slice(0, 8)).toEqual(["X-One", "1", "x-two", "2", "X-One", "3", "Content-Length", "2"]);
  expect(headerOf(head.headers, "connection")).toBeUndefined();
  const [request] = seen;
  expect(request?.url).toBe("/api/v1/pods?watch=0");
  const raw = request?.raw ?? [];
  expect(headerOf(raw, "host")).toBe(upstream.access.server.host);
  expect(raw.slice(raw.indexOf("X-B"))).toEqual([
    "X-B",
    "1",
    "x-a",
    "2",
    "X-B",
    "3",
    "Audit-ID",
    "req_1",
    "Authorization",
    "Bearer the-agents-own",
    "Impersonate-User",
    "alice",
    "Impersonate-Group",
    "fairlead:viewers",
  ]);
});

test.each([
  "Authorization",
  "AUTHORIZATION",
  "Impersonate-User",
  "impersonate-extra-scopes",
  "X-Remote-Group",
  "x-remote-extra-a",
])("the header %j from outside is refused and nothing is sent", async (name) => {
  const onRequest = vi.fn();
  await using upstream = await startUpstream(onRequest);
  await using wire = await openWire({ access: upstream.access });
  const { head, body } = await call(wire.hub, { headers: [name, "root"] }).answer;
  expect(head.status).toBe(403);
  expect(JSON.parse(body.toString())).toMatchObject({ kind: "Status", reason: "Forbidden", code: 403 });
  expect(onRequest).not.toHaveBeenCalled();
  expect(wire.counters.errorsByCode).toEqual({ PROXY_HEADER_REFUSED: 1 });
});

test("naming an identity header in Connection doesn't get it past the agent", async () => {
  await using upstream = await startUpstream((request, response) => {
    response.end(request.headers.authorization);
  });
  await using wire = await openWire({ access: upstream.access });
  const { body } = await call(wire.hub, { headers: ["Connection", "Authorization"] }).answer;
  expect(body.toString()).toBe("Bearer the-agents-own");
});

test("a bearer token in a websocket subprotocol is refused", async () => {
  await using upstream = await startUpstream(() => undefined);
  await using wire = await openWire({ access: upstream.access });
  const headers = ["Sec-WebSocket-Protocol", "v4.channel.k8s.io, base64url.bearer.authorization.k8s.io.abc"];
  const { head } = await call(wire.hub, { headers }).answer;
  expect(head.status).toBe(403);
});

test.each(["POST", "PUT", "PATCH", "DELETE"])("a small %s body arrives whole with its length", async (method) => {
  await using upstream = await startUpstream((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => {
      body += text;
    });
    request.on("end", () => response.end(JSON.stringify([request.method, request.headers["content-length"], body])));
  });
  await using wire = await openWire({ access: upstream.access });
  for (let i = 0; i < 2; i++) {
    const { body } = await call(wire.hub, { method, headers: ["Content-Length", "5"] }, Buffer.from("hello")).answer;
    expect(JSON.parse(body.toString())).toEqual([method, "5", "hello"]);
  }
});

test("a POST without a body says so", async () => {
  await using upstream = await startUpstream((request, response) => response.end(request.headers["content-length"]));
  await using wire = await openWire({ access: upstream.access });
  const { body } = await call(wire.hub, { method: "POST" }).answer;
  expect(body.toString()).toBe("0");
});

test("a large body of known length streams, and credit comes back only as the API server reads", async () => {
  let resume = (): void => undefined;
  await using upstream = await startUpstream((request, response) => {
    let sizeBytes = 0;
    request.on("data", (chunk: Buffer) => {
      sizeBytes += chunk.length;
    });
    request.pause();
    resume = () => request.resume();
    request.on("end", () => response.end(`${request.headers["content-length"]} ${sizeBytes}`));
  });
  await using wire = await openWire({ access: upstream.access });
  const sizeBytes = 24 * 1024 * 1024;
  const { stream, answer } = call(wire.hub, { method: "PUT", headers: ["Content-Length", `${sizeBytes}`] }, "open");
  stream.write(Buffer.alloc(sizeBytes, 1));
  stream.end();
  await vi.waitFor(() => expect(wire.counters.bytesToUpstream).toBeGreaterThan(0), 10_000);
  const held = await settled(() => wire.counters.bytesToUpstream);
  expect(held).toBeLessThan(sizeBytes / 2);
  resume();
  expect((await answer).body.toString()).toBe(`${sizeBytes} ${sizeBytes}`);
});

test("a body of unknown length is sent in chunks, as it comes", async () => {
  await using upstream = await startUpstream((request, response) => {
    response.write(`${request.headers["transfer-encoding"]} `);
    request.pipe(response);
  });
  await using wire = await openWire({ access: upstream.access });
  const { stream, answer, chunks } = call(wire.hub, { method: "POST" }, "open");
  stream.write(Buffer.from("one "));
  await vi.waitFor(() => expect(Buffer.concat(chunks).toString()).toBe("chunked one "));
  stream.write(Buffer.from("two"));
  stream.end();
  expect((await answer).body.toString()).toBe("chunked one two");
});

test.each([
  ["shorter", 6],
  ["longer", 2],
])("a body that is %s than announced is refused", async (_, length) => {
  await using upstream = await startUpstream(() => undefined);
  await using wire = await openWire({ access: upstream.access });
  const open = { method: "POST", headers: ["Content-Length", String(length)] };
  const { head } = await call(wire.hub, open, Buffer.from("hell")).answer;
  expect(head.status).toBe(400);
});

test("a path that isn't one is refused, not taken for another server", async () => {
  const onRequest = vi.fn();
  await using upstream = await startUpstream(onRequest);
  await using wire = await openWire({ access: upstream.access });
  for (const path of ["http://elsewhere/", "/with blank", "*"]) {
    const refused = await call(wire.hub, { path }).answer.catch((error: Error) => error);
    // By the link already, or by the agent.
    expect(refused).toSatisfy((value: { head?: { status: number }; resetCode?: number }) =>
      value.head ? value.head.status === 400 : value.resetCode === resetCodes.protocol,
    );
  }
  expect(onRequest).not.toHaveBeenCalled();
});

test("watch events are passed on one by one, and a client that leaves ends the request upstream", async () => {
  let closed: Promise<unknown> = Promise.resolve();
  let push = (_: string): void => undefined;
  await using upstream = await startUpstream((_, response) => {
    closed = once(response, "close");
    response.flushHeaders();
    push = (text) => response.write(text);
  });
  await using wire = await openWire({ access: upstream.access });
  const { stream, head, chunks } = call(wire.hub);
  await head;
  push("first\n");
  await vi.waitFor(() => expect(Buffer.concat(chunks).toString()).toBe("first\n"));
  push("second\n");
  await vi.waitFor(() => expect(Buffer.concat(chunks).toString()).toBe("first\nsecond\n"));
  stream.reset(resetCodes.cancelled);
  await closed;
  await vi.waitFor(() => expect(wire.counters).toMatchObject({ inFlight: 0, aborted: 1 }));
});

test("a reader that stalls holds back the API server and nobody else", async () => {
  let written = 0;
  await using upstream = await startUpstream((request, response) => {
    if (request.url === "/small") return void response.end("small");
    const chunk = Buffer.alloc(64 * 1024, 7);
    // Each answer is whole, also that of a request that had to be sent again.
    let own = 0;
    const more = (): void => {
      while (own < 64 * 1024 * 1024) {
        own += chunk.length;
        written += chunk.length;
        if (!response.write(chunk)) return void response.once("drain", more);
      }
      response.end();
    };
    more();
  });
  await using wire = await openWire({ access: upstream.access });
  const slow = call(wire.hub, { path: "/big" });
  slow.stall();
  await slow.head;
  expect(await settled(() => written)).toBeLessThan(48 * 1024 * 1024);
  expect((await call(wire.hub, { path: "/small" }).answer).body.toString()).toBe("small");
  slow.release();
  expect((await slow.answer).body.length).toBe(64 * 1024 * 1024);
});

test("HEAD, 204 and 304 end without a body and keep their lines", async () => {
  await using upstream = await startUpstream((request, response) => {
    if (request.method === "HEAD") response.writeHead(200, { "content-length": "123" });
    else response.writeHead(request.url === "/204" ? 204 : 304, { etag: "e" });
    response.end();
  });
  await using wire = await openWire({ access: upstream.access });
  const head = await call(wire.hub, { method: "HEAD" }).answer;
  expect([head.head.status, headerOf(head.head.headers, "content-length"), head.body.length]).toEqual([200, "123", 0]);
  expect((await call(wire.hub, { path: "/204" }).answer).head.status).toBe(204);
  expect((await call(wire.hub, { path: "/304" }).answer).head.status).toBe(304);
});

test("trailers are passed on", async () => {
  await using upstream = await startUpstream((_, response) => {
    response.writeHead(200, { Trailer: "X-Sum" });
    response.write("body");
    response.addTrailers({ "X-Sum": "42" });
    response.end();
  });
  await using wire = await openWire({ access: upstream.access });
  expect((await call(wire.hub).answer).trailers).toEqual(["X-Sum", "42"]);
});

test.each([
  ["a body of known length", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
  ["a chunked body", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n"],
])("an API server that dies amid %s is a broken stream, never a clean end", async (_, text) => {
  const server = createTcpServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(text));
  });
  const port = await listen(server);
  await using wire = await openWire({ access: accessTo(port) });
  await expect(call(wire.hub).answer).rejects.toMatchObject({ resetCode: resetCodes.upstreamBroken });
  server.close();
});

test("an API server that hangs up without an answer is a 502 that says so", async () => {
  const server = createTcpServer((socket) => socket.once("data", () => socket.destroy()).on("error", () => undefined));
  const port = await listen(server);
  await using wire = await openWire({ access: accessTo(port) });
  const { head, body } = await call(wire.hub).answer;
  expect(head.status).toBe(502);
  expect(JSON.parse(body.toString()).details.causes[0].reason).toBe("PROXY_UPSTREAM_BROKEN");
  server.close();
});

test("an API server that is down is a 503 with Retry-After, and it works again when it is back", async () => {
  const gone = await startUpstream(() => undefined);
  const port = Number(gone.access.server.port);
  await gone[Symbol.asyncDispose]();
  await using wire = await openWire({ access: accessTo(port) });
  const { head, body } = await call(wire.hub).answer;
  expect([head.status, headerOf(head.headers, "retry-after")]).toEqual([503, "1"]);
  expect(JSON.parse(body.toString()).message).toContain("can't reach its API server");
  const head405 = await call(wire.hub, { method: "HEAD" }).answer;
  expect(head405.body.length).toBe(0);

  const back = createTcpServer((socket) =>
    socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nback")),
  );
  back.listen(port, "127.0.0.1");
  await once(back, "listening");
  expect((await call(wire.hub).answer).body.toString()).toBe("back");
  back.close();
});

test("an API server that doesn't answer in time is a 504", async () => {
  await using upstream = await startUpstream(() => undefined);
  await using wire = await openWire({ access: upstream.access });
  // The opener gives up a little later than it tells the agent to.
  const { head } = await call(wire.hub, { deadlineMs: 300 }).answer.catch((error: Error) => ({ head: error }));
  expect(head).toSatisfy(
    (value: { status?: number; resetCode?: number }) => value.status === 504 || value.resetCode === 5,
  );
});

test("a credential that can't be had is a 503, and the request isn't sent without one", async () => {
  const onRequest = vi.fn();
  await using upstream = await startUpstream(onRequest);
  const authorization = (): Promise<string> => Promise.reject(new Error("no token"));
  await using wire = await openWire({ access: { ...upstream.access, authorization } });
  const { head } = await call(wire.hub).answer;
  expect(head.status).toBe(503);
  expect(onRequest).not.toHaveBeenCalled();
});

test("a thousand aborted requests leave nothing behind", async () => {
  await using upstream = await startUpstream((request, response) => {
    if (request.url === "/now") response.end("now");
  });
  await using wire = await openWire({ access: upstream.access });
  for (let round = 0; round < 20; round++) {
    const calls = Array.from({ length: 50 }, () => call(wire.hub, { path: "/never" }));
    if (round % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    for (const { stream } of calls) stream.reset(resetCodes.cancelled);
  }
  expect((await call(wire.hub, { path: "/now" }).answer).body.toString()).toBe("now");
  await vi.waitFor(() => expect(wire.counters.inFlight).toBe(0));
  expect(wire.agent.stats().streams).toEqual({ opening: 0, open: 0, halfClosed: 0 });
  await vi.waitFor(async () => expect(await connections(upstream.server)).toBeLessThan(20), 10_000);
});

async function connections(server: {
  getConnections(done: (error: Error | null, n: number) => void): void;
}): Promise<number> {
  return new Promise((resolve, reject) => server.getConnections((error, n) => (error ? reject(error) : resolve(n))));
}

/** The value once it stopped changing for a while. */
async function settled(read: () => number): Promise<number> {
  let last = -1;
  for (let same = 0; same < 4; ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    same = read() === last ? same + 1 : 0;
    last = read();
  }
  return last;
}
