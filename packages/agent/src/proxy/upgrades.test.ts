import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { resetCodes } from "@fairlead/protocol";
import { expect, test, vi } from "vitest";
import { call, headerOf, openWire, startUpstream, type Upstream } from "./wire.fixture.ts";

const upgrade = { upgrade: true, headers: ["Upgrade", "SPDY/3.1", "Connection", "Upgrade"] };

/** An API server that switches protocols and hands over the socket. */
async function startUpgrading(onSocket: (socket: Socket, request: IncomingMessage) => void): Promise<Upstream> {
  const upstream = await startUpstream((_, response) => response.end());
  upstream.server.on("upgrade", (request, socket: Socket) => {
    socket.on("error", () => undefined);
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4\r\n\r\n",
    );
    onSocket(socket, request);
  });
  return upstream;
}

test("bytes go both ways after a 101, with the client's repeated lines unmerged", async () => {
  let raw: string[] = [];
  await using upstream = await startUpgrading((socket, request) => {
    raw = request.rawHeaders;
    socket.write("hello ");
    socket.pipe(socket);
  });
  await using wire = await openWire({ access: upstream.access });
  const headers = [...upgrade.headers, "X-Stream-Protocol-Version", "v4", "X-Stream-Protocol-Version", "v3"];
  const { stream, head, chunks } = call(
    wire.hub,
    { ...upgrade, method: "POST", headers: [...headers, "Content-Length", "0"] },
    "open",
  );
  const answered = await head;
  expect(answered.status).toBe(101);
  expect(headerOf(answered.headers, "upgrade")).toBe("SPDY/3.1");
  expect(headerOf(answered.headers, "x-stream-protocol-version")).toBe("v4");
  expect(raw.filter((part) => part === "X-Stream-Protocol-Version").length).toBe(2);
  expect(headerOf(raw, "authorization")).toBe("Bearer the-agents-own");
  expect(headerOf(raw, "upgrade")).toBe("SPDY/3.1");
  stream.write(Buffer.from("world"));
  await vi.waitFor(() => expect(Buffer.concat(chunks).toString()).toBe("hello world"));
  expect(wire.counters.upgraded).toBe(1);
});

test("each direction closes by itself", async () => {
  await using upstream = await startUpgrading((socket) => {
    socket.allowHalfOpen = true;
    const got: Buffer[] = [];
    socket.on("data", (chunk) => got.push(chunk));
    socket.on("end", () => setImmediate(() => socket.end(`got ${Buffer.concat(got)}`)));
  });
  await using wire = await openWire({ access: upstream.access });
  const { stream, head, answer } = call(wire.hub, upgrade, "open");
  await head;
  stream.write(Buffer.from("all of it"));
  stream.end();
  expect((await answer).body.toString()).toBe("got all of it");
  await vi.waitFor(() => expect(wire.counters.inFlight).toBe(0));
});

test("a stalled client holds back the API server's bytes, and a stalled API server the client's", async () => {
  let written = 0;
  let upstreamSocket: Socket | undefined;
  await using upstream = await startUpgrading((socket) => {
    upstreamSocket = socket.pause();
    const more = (): void => {
      while (written < 48 * 1024 * 1024) {
        written += 65_536;
        if (!socket.write(Buffer.alloc(65_536))) return void socket.once("drain", more);
      }
    };
    more();
  });
  await using wire = await openWire({ access: upstream.access });
  const { stream, head, ...rest } = call(wire.hub, upgrade, "open");
  rest.stall();
  await head;
  let sent = 0;
  for (let i = 0; i < 400; i++) {
    sent += 65_536;
    stream.write(Buffer.alloc(65_536));
  }
  await vi.waitFor(() => {
    expect(wire.agent.stats().credit.heldBytes).toBeGreaterThan(0);
    expect(wire.hub.stats().credit.queuedBytes).toBeGreaterThan(0);
  }, 15_000);
  expect(written).toBeLessThan(40 * 1024 * 1024);
  let got = 0;
  upstreamSocket?.on("data", (chunk: Buffer) => {
    got += chunk.length;
  });
  upstreamSocket?.resume();
  rest.release();
  await vi.waitFor(() => expect([got, written]).toEqual([sent, 48 * 1024 * 1024]), 15_000);
});

test("an API server that cuts the connection resets the stream", async () => {
  let socket: Socket | undefined;
  await using upstream = await startUpgrading((got) => {
    socket = got;
  });
  await using wire = await openWire({ access: upstream.access });
  const { head, answer } = call(wire.hub, upgrade, "open");
  await head;
  socket?.resetAndDestroy();
  await expect(answer).rejects.toMatchObject({ resetCode: resetCodes.upstreamBroken });
  await vi.waitFor(() => expect(wire.counters.inFlight).toBe(0));
});

test("a client that leaves closes the API server's connection", async () => {
  let closed: Promise<unknown> = Promise.resolve();
  await using upstream = await startUpgrading((socket) => {
    closed = once(socket.resume(), "end");
  });
  await using wire = await openWire({ access: upstream.access });
  const { head, stream } = call(wire.hub, upgrade, "open");
  await head;
  stream.reset(resetCodes.cancelled);
  await closed;
});

test("an answer other than 101 is passed on and its connection isn't used again", async () => {
  const sockets = new Set<unknown>();
  await using upstream = await startUpstream(() => undefined);
  upstream.server.on("upgrade", (_, socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  });
  await using wire = await openWire({ access: upstream.access });
  for (let i = 1; i <= 2; i++) {
    const { head, body } = await call(wire.hub, upgrade).answer;
    expect([head.status, body.toString()]).toEqual([403, "{}"]);
    expect(sockets.size).toBe(i);
  }
});

test("a redirect as the answer to an upgrade isn't passed on", async () => {
  await using upstream = await startUpstream(() => undefined);
  upstream.server.on("upgrade", (_, socket: Socket) => {
    socket.on("error", () => undefined);
    socket.write("HTTP/1.1 302 Found\r\nLocation: https://elsewhere/\r\nContent-Length: 0\r\n\r\n");
  });
  await using wire = await openWire({ access: upstream.access });
  const { head, body } = await call(wire.hub, upgrade).answer;
  expect(head.status).toBe(502);
  expect(body.toString()).toContain("PROXY_UPGRADE_REDIRECTED");
});

test.each(["h2c", "websocket, h2c", "TLS/1.0"])("an upgrade to %j is refused", async (token) => {
  await using upstream = await startUpstream(() => undefined);
  await using wire = await openWire({ access: upstream.access });
  const { head } = await call(wire.hub, { upgrade: true, headers: ["Upgrade", token] }).answer;
  expect(head.status).toBe(400);
});

test("a 101 that nobody asked for is an error", async () => {
  await using upstream = await startUpstream((_, response) => {
    response.socket?.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n");
  });
  await using wire = await openWire({ access: upstream.access });
  expect((await call(wire.hub).answer).head.status).toBe(502);
});
