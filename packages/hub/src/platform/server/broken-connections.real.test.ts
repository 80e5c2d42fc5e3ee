// Connections whose client breaks the rules of HTTP, or waits for ever after it was refused.
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import type { StreamAcceptor } from "@fairlead/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { dial, enroll, openTestHub, sayHello, type TestHub } from "../../hub.fixture.ts";

let harness: TestHub;

beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

it("garbage behind a request cuts its answer and never becomes a part of it", async () => {
  const begin: StreamAcceptor = (stream) => {
    stream.respond({ status: 200, headers: ["Content-Length", "1000"] });
    stream.write(Buffer.from("the beginning"));
    return { onData() {}, onEnd() {}, onReset() {} };
  };
  const link = await dial(await enroll("slow", harness), harness, begin);
  await sayHello(link, "slow");
  const client = await open(harness.hub.peopleUrl);
  const { authorization } = harness.admin;
  client.socket.write(`GET /k8s/clusters/slow/api HTTP/1.1\r\nHost: hub\r\nAuthorization: ${authorization}\r\n\r\n`);
  while (!client.text().includes("the beginning")) await once(client.socket, "data");
  client.socket.write("\0 this is no request \r\n\r\n");
  await once(client.socket, "end");
  expect(client.text()).toMatch(/the beginning$/);
});

it.each([
  ["people", "/nowhere", /^HTTP\/1.1 404 /],
  ["agents", "/nowhere", /^HTTP\/1.1 404 /],
  ["agents", "/agent/v1/link", /^HTTP\/1.1 4\d\d /],
] as const)(
  "a refused upgrade at the listener for %s to %s loses its connection, though the client keeps it open",
  async (who, path, answer) => {
    const client = await open(who === "people" ? harness.hub.peopleUrl : harness.hub.agentUrl);
    client.socket.write(
      `GET ${path} HTTP/1.1\r\nHost: hub\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    const dripping = setInterval(() => client.socket.writable && client.socket.write("x"), 100);
    await client.closed.finally(() => clearInterval(dripping));
    expect(client.text()).toMatch(answer);
  },
);

interface Client {
  readonly socket: TLSSocket;
  readonly closed: Promise<unknown>;
  text(): string;
}

async function open(url: string): Promise<Client> {
  const { hostname: host, port } = new URL(url);
  const halfOpen = { host, port: Number(port), rejectUnauthorized: false, allowHalfOpen: true };
  const socket = connect(halfOpen);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  let text = "";
  socket.on("data", (chunk) => {
    text += String(chunk);
  });
  socket.on("error", () => undefined);
  await once(socket, "secureConnect");
  return { socket, closed, text: () => text };
}
