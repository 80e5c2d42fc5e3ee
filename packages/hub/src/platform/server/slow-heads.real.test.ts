// Connections that hold a place without ever asking for anything. Slow by nature: the limits are what clients need.
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { connect } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, openTestHub, type TestHub } from "../../hub.fixture.ts";

let bed: TestHub;

beforeAll(async () => {
  bed = await openTestHub();
}, 60_000);
afterAll(() => bed[Symbol.asyncDispose]());

it.concurrent.each(["people", "agents"] as const)(
  "heads that never end lose their connections to the listener for %s, while others are served",
  async (who) => {
    const { host, port, url } = addressOf(who);
    const slow = await Promise.all(
      Array.from({ length: 50 }, async () => {
        // Open on our side for good: the hub must not depend on our leaving.
        const options = { host, port, rejectUnauthorized: false, allowHalfOpen: true };
        const socket = connect(options);
        await once(socket, "secureConnect");
        return drip(socket, "GET /healthz HTTP/1.1\r\nHost: hub\r\n");
      }),
    );
    const closed = Promise.all(slow.map(({ closed }) => closed));
    let isOver = false;
    void closed.then(() => {
      isOver = true;
    });
    let served = 0;
    while (!isOver) {
      expect((await call(url, "/healthz")).status).toBe(who === "people" ? 200 : 404);
      served += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    expect(served).toBeGreaterThan(0);
    for (const text of await closed) expect(text).toMatch(/^(?:HTTP\/1\.1 408 Request Timeout\r\n|$)/);
  },
  120_000,
);

it.concurrent.each(["people", "agents"] as const)(
  "handshakes that never begin lose their connections to the listener for %s",
  async (who) => {
    const { host, port, url } = addressOf(who);
    const silent = Array.from({ length: 50 }, () => connectPlain({ host, port }));
    const closed = Promise.all(silent.map((socket) => drip(socket, "").closed));
    expect((await call(url, "/healthz")).status).toBe(who === "people" ? 200 : 404);
    await closed;
  },
  120_000,
);

function addressOf(who: "people" | "agents"): { host: string; port: number; url: string } {
  const url = who === "people" ? bed.hub.peopleUrl : bed.hub.agentUrl;
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), url };
}

/** Sends the text and then a byte a second, if there was one; resolves with what came back until the other side left. */
function drip(socket: Socket, text: string): { readonly closed: Promise<string> } {
  let received = "";
  socket.on("data", (chunk) => {
    received += String(chunk);
  });
  socket.on("error", () => undefined);
  if (text !== "") socket.write(text);
  const timer = setInterval(() => text !== "" && socket.writable && socket.write("x"), 1_000);
  const closed = new Promise<string>((resolve) => {
    socket.once("close", () => {
      clearInterval(timer);
      resolve(received);
    });
  });
  return { closed };
}
