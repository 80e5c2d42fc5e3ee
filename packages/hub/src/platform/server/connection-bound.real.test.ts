// An address takes all it can get. Loopback has many addresses: the flood comes from one, its neighbour from another.
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { call, openTestHub, type TestHub } from "../../hub.fixture.ts";
import { createListener, createPlainListener, createTrustedProxies, startListening, stopListening } from "./index.ts";

const flooder = "127.0.0.2";
const balancer = "127.0.0.4";
const sockets: Socket[] = [];
let harness: TestHub;

beforeAll(async () => {
  harness = await openTestHub({ args: ["--connections-per-address", "30", "--trusted-proxies", balancer] });
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

test("an address holds so many connections and no more, one that goes makes room, and a trusted balancer isn't counted", async () => {
  const held: TLSSocket[] = [];
  for (let i = 0; i < 3; i++) held.push(...(await Promise.all(Array.from({ length: 10 }, () => open()))));
  await expect(open()).rejects.toThrow();
  expect((await call(harness.hub.peopleUrl, "/healthz")).status).toBe(200);
  expect(harness.lines.filter((line) => line.includes("too many connections from an address"))).toHaveLength(1);
  await open(balancer);
  held[0]?.destroy();
  await vi.waitFor(() => open(), { timeout: 60_000, interval: 50 });
});

test("handshakes that are begun and left are bounded, and other addresses get through meanwhile", async () => {
  const onRefused = vi.fn();
  const bound = {
    connectionsPerAddress: 10_000,
    unknownConnectionsPerAddress: 64,
    unknownConnections: 1_024,
    trustedProxies: createTrustedProxies([]),
    onRefused,
  };
  const server = createListener({ tls: {}, requestTimeoutMs: 0, bound });
  const port = await startListening(server, "127.0.0.1:0");
  const open = new Set<object>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  let ended = 0;
  for (let i = 0; i < 600; i++) begin(port, flooder).once("close", () => ended++);
  await vi.waitFor(() => expect(ended).toBe(600 - 512), { timeout: 60_000 });
  expect(open.size).toBe(512);
  begin(port, "127.0.0.3");
  await vi.waitFor(() => expect(open.size).toBe(513), { timeout: 60_000 });
  expect(onRefused).toHaveBeenCalledTimes(1);
  const { closed, cut } = stopListening(server);
  cut();
  await closed;
});

test("without TLS connections of nobody known yet are bounded, too, and the one that has waited longest goes", async () => {
  const bound = {
    connectionsPerAddress: 10_000,
    unknownConnectionsPerAddress: 2,
    unknownConnections: 3,
    trustedProxies: createTrustedProxies(["127.0.0.4"]),
    onRefused: vi.fn(),
  };
  const server = createPlainListener({ requestTimeoutMs: 0, bound });
  const port = await startListening(server, "127.0.0.1:0");
  const wait = async (localAddress: string): Promise<Socket> => {
    const socket = connectPlain({ host: "127.0.0.1", port, localAddress }).resume();
    sockets.push(socket);
    await once(socket, "connect");
    return socket;
  };
  const [first] = [await wait(flooder), await wait(flooder), await wait(flooder)];
  await vi.waitFor(() => expect(first.destroyed).toBe(true), { timeout: 60_000 });
  // Connections of a trusted proxy count in the sum alone.
  const own = [await wait("127.0.0.4"), await wait("127.0.0.4"), await wait("127.0.0.4")];
  await vi.waitFor(() => expect(sockets.slice(-6, -3).every(({ destroyed }) => destroyed)).toBe(true), {
    timeout: 10_000,
  });
  expect(own.some(({ destroyed }) => destroyed)).toBe(false);
  const { closed, cut } = stopListening(server);
  cut();
  await closed;
});

test("a flood of enrollments from one address is held off, and another address enrolls", async () => {
  const enrollFrom = async (localAddress: string): Promise<number | undefined> => {
    const body = JSON.stringify({ token: `flj_${"0".repeat(120)}`, csrDer: "AAAA", roles: ["proxy"] });
    const options = { method: "POST", headers: { "content-type": "application/json" }, body, localAddress };
    return (await call(harness.hub.agentUrl, "/agent/v1/enroll", options)).status;
  };
  const statuses = new Set<number | undefined>();
  for (let i = 0; i < 150 && !statuses.has(429); i++) statuses.add(await enrollFrom(flooder));
  expect([...statuses]).toEqual([400, 429]);
  expect(await enrollFrom("127.0.0.3")).toBe(400);
});

/** As a client would, and then nothing. */
function begin(port: number, localAddress: string): Socket {
  const socket = connectPlain({ host: "127.0.0.1", port, localAddress });
  sockets.push(socket);
  socket.on("error", () => undefined).once("connect", () => socket.write(Buffer.from([0x16, 0x03, 0x01])));
  return socket;
}

function open(from = flooder): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(harness.hub.peopleUrl);
  // Not among the options that its types know, but handed on.
  const where = { host, port: Number(port), localAddress: from };
  const socket = connect({ ...where, rejectUnauthorized: false } as ConnectionOptions);
  sockets.push(socket);
  const failed = once(socket, "close").then(() => Promise.reject(new Error("refused")));
  return Promise.race([once(socket, "secureConnect").then(() => socket), failed]);
}
