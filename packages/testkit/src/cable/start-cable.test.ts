import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { startCable } from "./start-cable.ts";

describe("cable", () => {
  it("carries bytes and half-closes both ways, whole and in order", async () => {
    await using far = await echoServer();
    await using cable = await startCable({ to: { port: far.port } });
    const sent = Buffer.alloc(9_000_001, "0123456789");
    const client = await dial(cable.port);
    const received = buffer(client);
    client.end(sent);
    expect((await received).equals(sent)).toBe(true);
    expect(cable.bytes).toEqual({ up: sent.length, down: sent.length });
    await expect.poll(() => cable.connectionCount).toBe(0);
  });

  it("resets what is open and turns new connections away while cut, and works on the same port once healed", async () => {
    await using far = await echoServer();
    await using cable = await startCable({ to: { port: far.port } });
    const before = await dial(cable.port);
    await roundTrip(before, "hello");
    const cutOff = failure(before);
    cable.cut();
    expect(await cutOff).toBe("ECONNRESET");
    const during = connect(cable.port, "127.0.0.1");
    expect(await failure(during)).toBe("ECONNRESET");
    cable.heal();
    const after = await dial(cable.port);
    expect(await roundTrip(after, "again")).toBe("again");
    expect(cable.totalConnectionCount).toBe(3);
    after.destroy();
  });

  it("tells the far end of a cut too", async () => {
    await using far = await echoServer();
    await using cable = await startCable({ to: { port: far.port } });
    const client = await dial(cable.port);
    await roundTrip(client, "hello");
    const [atFarEnd] = [...far.sockets];
    const cutOff = atFarEnd === undefined ? Promise.resolve("none") : failure(atFarEnd);
    client.on("error", () => {});
    cable.cut();
    expect(await cutOff).toBe("ECONNRESET");
  });

  it("passes nothing while a black hole, and all of it in order afterwards", async () => {
    await using far = await echoServer();
    await using cable = await startCable({ to: { port: far.port } });
    const client = await dial(cable.port);
    await roundTrip(client, "before");
    cable.blackhole();
    const received = buffer(client);
    client.write("first ");
    client.end("second");
    const late = await dial(cable.port);
    late.write("late");
    await delay(200);
    expect(cable.bytes).toEqual({ up: 6, down: 6 });
    expect(client.destroyed).toBe(false);
    cable.heal();
    expect((await received).toString()).toBe("first second");
    expect(await roundTrip(late, "r")).toContain("late");
    late.destroy();
  });

  it("adds the round-trip time, and takes it away again", async () => {
    await using far = await echoServer();
    await using cable = await startCable({ to: { port: far.port } });
    const client = await dial(cable.port);
    await roundTrip(client, "warm");
    cable.delay({ rttMs: 300 });
    const startedAt = performance.now();
    await roundTrip(client, "slow");
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(298);
    cable.delay({ rttMs: 60_000 });
    client.write("held");
    await delay(50);
    cable.heal();
    expect(await nextChunk(client)).toBe("held");
    client.destroy();
  });

  it("delays without holding bandwidth back", async () => {
    await using far = await echoServer();
    await using cable = await startCable({ to: { port: far.port } });
    cable.delay({ rttMs: 100 });
    const client = await dial(cable.port);
    const received = buffer(client);
    const startedAt = performance.now();
    client.end(Buffer.alloc(8_000_000));
    expect((await received).length).toBe(8_000_000);
    // A chunk per round trip would take 12 s.
    expect(performance.now() - startedAt).toBeLessThan(6000);
  });

  it("lets no more than the rate through, counted over all connections", async () => {
    await using far = await echoServer();
    await using cable = await startCable({ to: { port: far.port } });
    cable.throttle({ bytesPerSecond: 200_000 });
    const clients = await Promise.all([dial(cable.port), dial(cable.port)]);
    const startedAt = performance.now();
    const received = Promise.all(clients.map((client) => buffer(client)));
    for (const client of clients) client.end(Buffer.alloc(100_000));
    expect((await received).map(({ length }) => length)).toEqual([100_000, 100_000]);
    const seconds = (performance.now() - startedAt) / 1000;
    expect(seconds).toBeGreaterThan(0.85);
    expect(seconds).toBeLessThan(10);
  });

  it("holds a sender back instead of buffering without bound", async () => {
    await using far = await echoServer();
    await using cable = await startCable({ to: { port: far.port } });
    cable.blackhole();
    const client = await dial(cable.port);
    let isDone = false;
    client.write(Buffer.alloc(64 * 1024 * 1024), () => {
      isDone = true;
    });
    await delay(300);
    expect(isDone).toBe(false);
    client.destroy();
  });

  it("resets the caller when nobody listens at the far end", async () => {
    await using far = await echoServer();
    const { port } = far;
    await far[Symbol.asyncDispose]();
    await using cable = await startCable({ to: { port } });
    expect(await failure(connect(cable.port, "127.0.0.1"))).toBe("ECONNRESET");
  });
});

async function echoServer(): Promise<AsyncDisposable & { port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await once(socket, "connect");
  return socket;
}

async function roundTrip(socket: Socket, text: string): Promise<string> {
  const answer = nextChunk(socket);
  socket.write(text);
  return answer;
}

async function nextChunk(socket: Socket): Promise<string> {
  const data = once(socket, "data") as Promise<[Buffer]>;
  socket.resume();
  const [chunk] = await data;
  socket.pause();
  return chunk.toString();
}

function failure(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? ""));
    socket.once("close", () => resolve("closed"));
    socket.resume();
  });
}
