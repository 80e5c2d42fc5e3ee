// Requests with heads as large as an API server takes, and strangers who begin such heads and never finish them.
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { call, openTestHub, type TestHub } from "../../hub.fixture.ts";

const greedy = "127.0.0.2";
const sockets: TLSSocket[] = [];
let harness: TestHub;
beforeAll(async () => {
  harness = await openTestHub();
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

it.each([
  ["900 KiB of headers for a cluster reach the proxy", "/k8s/clusters/none/api", 900, 404, "PROXY_CLUSTER_UNKNOWN"],
  ["more than 1 MiB is refused with a code", "/k8s/clusters/none/api", 1_040, 431, "API_HEADERS_TOO_LARGE"],
  ["the hub's own API takes 128 KiB", "/api/v1/whoami", 120, 200, undefined],
  ["and no more than that", "/api/v1/whoami", 200, 431, "API_HEADERS_TOO_LARGE"],
])("%s", async (_, path, sizeKiB, status, code) => {
  const headers = { ...harness.admin, "x-padding": "x".repeat(sizeKiB * 1_024) };
  const answer = await call(harness.hub.peopleUrl, path, { headers });
  expect(answer.status).toBe(status);
  if (code !== undefined) expect(answer.text).toContain(code);
});

it("a stranger who begins 40 large heads has 16 MiB of them, is told so, and others notice nothing", async () => {
  const begun = await Promise.all(Array.from({ length: 40 }, () => beginHead(greedy)));
  await vi.waitFor(() => expect(begun.filter(isOpen).length).toBeLessThanOrEqual(17), { timeout: 60_000 });
  expect(begun.filter(isOpen).length).toBeGreaterThan(8);
  const [refused] = begun.filter((one) => !isOpen(one));
  expect(refused?.received).toContain("429 Too Many Requests");
  expect(refused?.received).toContain("API_HEADERS_TOO_MANY");
  expect((await call(harness.hub.peopleUrl, "/healthz", { localAddress: greedy })).status).toBe(200);
  const headers = { ...harness.admin, "x-padding": "x".repeat(900_000) };
  for (const localAddress of [greedy, "127.0.0.3"]) {
    const answer = await call(harness.hub.peopleUrl, "/k8s/clusters/none/api", { headers, localAddress });
    expect(answer.status).toBe(404);
  }
});

it("strangers of many addresses have 64 MiB, and the greediest address loses its heads first", async () => {
  const modest = await beginHead("127.0.0.9");
  const addresses = [20, 21, 22, 23, 24, 25].map((at) => `127.0.0.${at}`);
  const begun = (
    await Promise.all(addresses.map((from) => Promise.all(Array.from({ length: 14 }, () => beginHead(from)))))
  ).flat();
  await vi.waitFor(() => expect(begun.filter(isOpen).length).toBeLessThanOrEqual(64), { timeout: 60_000 });
  expect(isOpen(modest)).toBe(true);
  expect((await call(harness.hub.peopleUrl, "/healthz")).status).toBe(200);
});

it("a stranger whose requests are whole and stay without their bodies is bounded in the same way", async () => {
  const whole = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const one = await beginHead(greedy);
      one.socket.write("\r\nContent-Length: 1000\r\n\r\n{");
      return one;
    }),
  );
  await vi.waitFor(() => expect(whole.filter(isOpen).length).toBeLessThanOrEqual(17), { timeout: 60_000 });
});

interface Begun {
  readonly socket: TLSSocket;
  received: string;
}

/** Sends 1 MiB of a head that has no end. */
async function beginHead(localAddress: string): Promise<Begun> {
  const { hostname: host, port } = new URL(harness.hub.peopleUrl);
  const where = { host, port: Number(port), localAddress, rejectUnauthorized: false };
  const socket = connect(where);
  const begun: Begun = { socket, received: "" };
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.on("data", (chunk) => {
    begun.received += String(chunk);
  });
  await once(socket, "secureConnect");
  socket.write(`POST /k8s/clusters/none/api HTTP/1.1\r\nHost: hub\r\nX: ${"x".repeat(1_047_000)}`);
  return begun;
}

function isOpen({ socket, received }: Begun): boolean {
  return !socket.destroyed && received === "";
}
