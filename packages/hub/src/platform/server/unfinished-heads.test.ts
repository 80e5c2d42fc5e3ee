// Which bytes count as an unfinished head, and which connection is closed first. large-heads.real.test.ts has the
// strangers' shares.
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { createTrustedProxies } from "./remote-address.ts";
import { boundUnfinishedHeads } from "./unfinished-heads.ts";

const undo = new AsyncDisposableStack();
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => undo.disposeAsync());

it("the oldest of an address's heads are refused, and closed when they go on", async () => {
  const { port, refuse } = await listen();
  const heads = [];
  for (let at = 0; at < 4; at++) {
    const head = await dial(port);
    await send(head, `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(300_000)}`);
    heads.push(head);
    await vi.waitFor(() => expect(refuse.mock.calls.length).toBe(Math.max(0, at - 2)), waits);
  }
  expect(refuse.mock.calls.map(([socket]) => (socket as Socket).remotePort)).toEqual([heads[0]?.localPort]);
});

it("bodies, small heads and requests in flight are no unfinished heads", async () => {
  const { port, refuse, seen } = await listen();
  const socket = await dial(port);
  for (const pauses of [true, false, true]) {
    await send(socket, "POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n");
    for (let sent = 0; sent < 3_000_000; sent += 500_000) {
      await send(socket, "x".repeat(500_000));
      if (pauses) await pass();
    }
  }
  await pass();
  const waiting = await dial(port);
  await send(waiting, `GET /wait HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(1_000_000)}\r\n\r\n`);
  await vi.waitFor(() => expect(seen).toEqual(["/upload", "/upload", "/upload", "/wait"]), waits);
  await pass();
  await pass();
  expect(refuse).not.toHaveBeenCalled();
});

it("a head behind a request that isn't answered counts", async () => {
  const { port, refuse, seen } = await listen();
  for (let at = 0; at < 4; at++) {
    const socket = await dial(port);
    await send(socket, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
    await vi.waitFor(() => expect(seen).toHaveLength(at + 1), waits);
    await send(socket, `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(300_000)}`);
  }
  await vi.waitFor(() => expect(refuse).toHaveBeenCalled(), waits);
});

async function listen(): Promise<{ readonly port: number; readonly refuse: ReturnType<typeof vi.fn>; seen: string[] }> {
  const seen: string[] = [];
  const server: Server = createServer({ maxHeaderSize: 2 ** 20, requestTimeout: 0 }, (req, res) => {
    seen.push(req.url ?? "");
    req.resume();
    if (req.url !== "/wait") req.on("end", () => res.end());
  });
  const refuse = vi.fn();
  boundUnfinishedHeads(server, {
    trustedProxies: createTrustedProxies([]),
    refuse,
    known: { perNetworkBytes: 1_000_000, totalBytes: 10_000_000 },
    sweepMs: 5,
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  undo.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, refuse, seen };
}

async function dial(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => undefined).resume();
  sockets.push(socket);
  await once(socket, "connect");
  return socket;
}

async function send(socket: Socket, text: string): Promise<void> {
  await new Promise<void>((resolve) => void socket.write(text, () => resolve()));
}

/** Long enough for some looks at all connections. */
async function pass(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 120));
}

const waits = { timeout: 60_000, interval: 10 };
