// Connections that say nothing, or say what they have to say as slowly as they can. Slow by nature: the limits are what
// clients need.
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, openTestHub, type TestHub } from "../../hub.fixture.ts";

type Who = "people" | "agents";
const both = ["people", "agents"] as const;

let harness: TestHub;
beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

it.concurrent.each(both)(
  "handshakes that never begin lose their connections to the listener for %s",
  async (who) => {
    const { host, port } = addressOf(who);
    const silent = Array.from({ length: 50 }, () => connectPlain({ host, port }));
    const closed = Promise.all(silent.map((socket) => untilClosed(socket, "end")));
    await expectService(who);
    await closed;
  },
  120_000,
);

it.concurrent.each(both)(
  "connections that say nothing after their handshake are closed by the listener for %s",
  async (who) => {
    const silent = await openMany(who, 30);
    const closed = Promise.all(silent.map((socket) => untilClosed(socket, "end")));
    await expectService(who);
    await closed;
  },
  120_000,
);

it.concurrent.each(both)(
  "heads that never end lose their connections to the listener for %s, while others are served",
  async (who) => {
    const slow = await openMany(who, 50);
    const closed = Promise.all(slow.map((socket) => drip(socket, "GET /healthz HTTP/1.1\r\nHost: hub\r\n", "x")));
    let isOver = false;
    void closed.then(() => {
      isOver = true;
    });
    let served = 0;
    while (!isOver) {
      await expectService(who);
      served += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    expect(served).toBeGreaterThan(0);
    for (const text of await closed) expect(text).toMatch(/^(?:HTTP\/1\.1 408 Request Timeout\r\n|$)/);
  },
  120_000,
);

it.concurrent.each([
  ["agents", "POST /agent/v1/enroll"],
  ["people", "POST /api/v1/clusters"],
] as const)(
  "bodies that drip lose their connections to the listener for %s, while others are served",
  async (who, request) => {
    const head =
      `${request} HTTP/1.1\r\nHost: hub\r\nAuthorization: ${harness.admin.authorization}\r\n` +
      "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{";
    const slow = await openMany(who, 30);
    const closed = Promise.all(slow.map((socket) => drip(socket, head, " ")));
    await expectService(who);
    await closed;
  },
  120_000,
);

async function expectService(who: Who): Promise<void> {
  expect((await call(addressOf(who).url, "/healthz")).status).toBe(who === "people" ? 200 : 404);
}

function addressOf(who: Who): { host: string; port: number; url: string } {
  const url = who === "people" ? harness.hub.peopleUrl : harness.hub.agentUrl;
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), url };
}

/** They stay open on our side: the hub must not depend on our leaving. */
async function openMany(who: Who, count: number): Promise<TLSSocket[]> {
  const { host, port } = addressOf(who);
  const halfOpen = { host, port, rejectUnauthorized: false, allowHalfOpen: true };
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(halfOpen);
      await once(socket, "secureConnect");
      return socket;
    }),
  );
}

/** Sends the text and then a byte a second, until the hub takes no more. */
function drip(socket: Socket, text: string, byte: string): Promise<string> {
  socket.write(text);
  const timer = setInterval(() => socket.writable && socket.write(byte), 1_000);
  return untilClosed(socket, "close").finally(() => clearInterval(timer));
}

/** Resolves with what came back when the hub has ended it: `close` takes more than an end that we didn't answer. */
function untilClosed(socket: Socket, by: "end" | "close"): Promise<string> {
  let received = "";
  socket.on("data", (chunk) => {
    received += String(chunk);
  });
  socket.on("error", () => undefined);
  return new Promise((resolve) => {
    for (const event of new Set([by, "close"])) socket.once(event, () => resolve(received));
  });
}
