// Loopback has many addresses, so every network of these tests has one of its own.
import { once } from "node:events";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { connect as connectPlain } from "node:net";
import { connect } from "node:tls";
import { createMovableClock } from "@fairlead/kernel/testing";
import { createAuthority } from "@fairlead/protocol/x509";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { takeHandshakeTurns } from "./handshake-turns.ts";

const cleanups: (() => unknown)[] = [];
let tls: { cert: string; key: string };
beforeAll(async () => {
  const authority = await createAuthority({ commonName: "hub", days: 1 });
  const { certPem, keyPem } = await authority.issueServerCertificate({ names: ["127.0.0.1"], ttlMs: 3_600_000 });
  tls = { cert: certPem, key: keyPem };
});
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

test("so many handshakes are under way at once, the others wait, and each gets its turn", async () => {
  let most = 0;
  const { server, port } = await start({ atOnce: 4, onBegin: (underWay) => (most = Math.max(most, underWay)) });
  server.on("request", (_, response) => response.end("served"));
  const all = Array.from({ length: 100 }, (_, index) => ask(port, `127.0.1.${index + 1}`));
  expect(new Set(await Promise.all(all))).toEqual(new Set(["served"]));
  expect(most).toBeLessThanOrEqual(4);
  expect(most).toBeGreaterThan(1);
});

test("clients that stop in the middle of their handshakes hold their turns for a moment, and no longer", async () => {
  const clock = createMovableClock();
  const { server, port, begun } = await start({ atOnce: 4, clock });
  server.on("request", (_, response) => response.end("served"));
  const hello = await recordHello();
  for (let index = 0; index < 4; index++) plain(port, `127.0.2.${index + 1}`).write(hello);
  await vi.waitFor(() => expect(begun()).toBe(4), { timeout: 60_000 });
  const asked = ask(port, "127.0.3.1");
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(begun()).toBe(4);
  clock.move(1_000);
  expect(await asked).toBe("served");
});

test("a client that has gone, says too much or nothing costs no handshake", async () => {
  const clock = createMovableClock();
  const { server, port, begun, open, seen } = await start({ atOnce: 1, clock });
  server.on("request", (_, response) => response.end("served"));
  const hello = await recordHello();
  plain(port, "127.0.2.1").write(hello);
  await vi.waitFor(() => expect(begun()).toBe(1), { timeout: 60_000 });
  const gone = Array.from({ length: 20 }, (_, index) => plain(port, `127.0.4.${index + 1}`));
  for (const socket of gone) socket.write(hello);
  plain(port, "127.0.5.1").write(Buffer.alloc(100_000, hello));
  const silent = plain(port, "127.0.6.1");
  // The server has all of them: the silent one's patience counts from there.
  await vi.waitFor(() => expect(seen()).toBe(gone.length + 3), { timeout: 60_000 });
  for (const socket of gone) socket.destroy();
  // The first that holds its turn, and the silent one.
  await vi.waitFor(() => expect(open()).toBe(2), { timeout: 60_000 });
  const closed = once(silent, "close");
  clock.move(10_001);
  await closed;
  expect(begun()).toBe(1);
  expect(await ask(port, "127.0.7.1")).toBe("served");
});

test("a crowd leaves the thread to others after every few handshakes", async () => {
  let [inRound, most] = [0, 0];
  const endRound = (): void => {
    inRound = 0;
  };
  const { port, begun, seen } = await start({
    atOnce: 48,
    clock: createMovableClock(),
    onBegin() {
      if (inRound++ === 0) setImmediate(endRound);
      most = Math.max(most, inRound);
    },
  });
  const hello = await recordHello();
  const crowd = Array.from({ length: 48 }, (_, index) => plain(port, `127.0.10.${index + 1}`));
  await vi.waitFor(() => expect(seen()).toBe(48), { timeout: 60_000 });
  // All of them are there when the server looks next.
  for (const socket of crowd) socket.write(hello);
  await vi.waitFor(() => expect(begun()).toBe(48), { timeout: 60_000 });
  expect(most).toBeLessThanOrEqual(4);
});

test("one network's crowd leaves others their turns", async () => {
  const { server, port } = await start({ atOnce: 1 });
  const order: string[] = [];
  server.on("request", (request, response) => {
    order.push(request.socket.remoteAddress?.startsWith("127.0.8") ? "crowd" : "other");
    response.end("served");
  });
  const crowd = Array.from({ length: 200 }, () => ask(port, "127.0.8.1"));
  const others = Array.from({ length: 5 }, (_, index) => ask(port, `127.0.9.${index + 1}`));
  await Promise.all([...crowd, ...others]);
  expect(order.lastIndexOf("other")).toBeLessThan(150);
});

async function start(options: {
  readonly atOnce: number;
  readonly clock?: ReturnType<typeof createMovableClock>;
  readonly onBegin?: (underWay: number) => void;
}) {
  const server: Server = createServer(tls);
  let begun = 0;
  let underWay = 0;
  let seen = 0;
  const sockets = new Set<Socket>();
  server.prependListener("connection", () => {
    begun++;
    options.onBegin?.(++underWay);
  });
  const ends = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  const raw = new Map<string, Socket>();
  const turns = takeHandshakeTurns(server, { networkOf: ({ remoteAddress }) => remoteAddress, ...options });
  server.on("connection", (socket: Socket) => {
    seen++;
    sockets.add(socket);
    raw.set(ends(socket), socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", (_, socket) => socket.destroy());
  server.on("secureConnection", (socket) => {
    underWay--;
    const known = raw.get(ends(socket));
    if (known) turns.end(known);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    server,
    port: (server.address() as AddressInfo).port,
    begun: () => begun,
    open: () => sockets.size,
    seen: () => seen,
  };
}

function ask(port: number, localAddress: string): Promise<string> {
  const options = { host: "127.0.0.1", port, localAddress, rejectUnauthorized: false };
  const socket = connect(options);
  cleanups.push(() => socket.destroy());
  socket.end("GET / HTTP/1.1\r\nHost: hub\r\nConnection: close\r\n\r\n");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  return once(socket, "close").then(() => text.split("\r\n\r\n").at(-1) ?? "");
}

function plain(port: number, localAddress: string): Socket {
  const socket = connectPlain({ host: "127.0.0.1", port, localAddress });
  socket.on("error", () => undefined);
  cleanups.push(() => socket.destroy());
  return socket;
}

/** The first bytes of a TLS client. */
async function recordHello(): Promise<Buffer> {
  const { createServer: listen } = await import("node:net");
  const server = listen();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  client.on("error", () => undefined);
  const [socket] = (await once(server, "connection")) as [Socket];
  const [hello] = (await once(socket, "data")) as [Buffer];
  client.destroy();
  socket.destroy();
  server.close();
  return hello;
}
