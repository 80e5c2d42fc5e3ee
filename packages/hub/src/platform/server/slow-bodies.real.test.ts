// Connections that say nothing, or say what they have to say as slowly as they can. Slow by nature, as the limits are.
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { call, openTestHub, type TestHub } from "../../hub.fixture.ts";

let bed: TestHub;

beforeAll(async () => {
  bed = await openTestHub();
}, 60_000);
afterAll(() => bed[Symbol.asyncDispose]());

it.concurrent.each(["people", "agents"] as const)(
  "connections that say nothing after their handshake are closed by the listener for %s",
  async (who) => {
    const silent = await Promise.all(Array.from({ length: 30 }, () => open(who)));
    expect((await call(urlOf(who), "/healthz")).status).toBe(who === "people" ? 200 : 404);
    await Promise.all(silent.map(({ closed }) => closed));
  },
  120_000,
);

it.concurrent.each([
  ["agents", "POST /agent/v1/enroll"],
  ["people", "POST /api/v1/clusters"],
] as const)(
  "bodies that drip lose their connections to the listener for %s, while others are served",
  async (who, request) => {
    const slow = await Promise.all(Array.from({ length: 30 }, () => open(who)));
    const { authorization } = bed.admin;
    for (const { socket } of slow) {
      socket.write(
        `${request} HTTP/1.1\r\nHost: hub\r\nAuthorization: ${authorization}\r\n` +
          "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
      );
    }
    const dripping = setInterval(() => {
      for (const { socket } of slow) if (socket.writable) socket.write(" ");
    }, 1_000);
    expect((await call(urlOf(who), "/healthz")).status).toBe(who === "people" ? 200 : 404);
    await Promise.all(slow.map(({ closed }) => closed)).finally(() => clearInterval(dripping));
  },
  120_000,
);

function urlOf(who: "people" | "agents"): string {
  return who === "people" ? bed.hub.peopleUrl : bed.hub.agentUrl;
}

/** Stays open on our side: the hub must not depend on our leaving. Closed is what the hub closed. */
async function open(who: "people" | "agents"): Promise<{ socket: TLSSocket; closed: Promise<unknown> }> {
  const { hostname: host, port } = new URL(urlOf(who));
  const halfOpen = { host, port: Number(port), rejectUnauthorized: false, allowHalfOpen: true };
  const socket = connect(halfOpen);
  socket.on("error", () => undefined);
  socket.resume();
  const closed = new Promise((resolve) => socket.once("end", resolve).once("close", resolve));
  await once(socket, "secureConnect");
  return { socket, closed };
}
