// Clients of live sockets that ask for as much as they can, in the most costly way.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { liveSubprotocol } from "@fairlead/contract";
import { systemClock } from "@fairlead/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { liveSocketOptions, serveSocket } from "./socket.ts";

const undo = new AsyncDisposableStack();
let url = "";
let open = 0;
let asked = 0;

beforeAll(async () => {
  const server = createServer((_request, response) => void response.end("ok"));
  const sockets = new WebSocketServer({ ...liveSocketOptions, server });
  sockets.on("connection", (webSocket) => {
    serveSocket({
      webSocket,
      clock: systemClock,
      subscribe: async () => {
        asked += 1;
        open += 1;
        return {
          addCredit: () => undefined,
          resume: () => undefined,
          [Symbol.dispose]() {
            open -= 1;
          },
        };
      },
    });
  });
  undo.defer(() => server.closeAllConnections());
  undo.defer(() => void server.close());
  undo.defer(() => {
    for (const each of sockets.clients) each.terminate();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => undo.disposeAsync());

const subscribe = (id: number) => JSON.stringify({ type: "subscribe", id: String(id), filter: { kind: "pods" } });

test("of ten thousand subscriptions on one socket 64 are taken, each other one is told why, and probes are answered", async () => {
  const webSocket = await connect();
  let refused = 0;
  webSocket.on("message", (data) => {
    if (String(data).includes("LIVE_TOO_MANY")) refused += 1;
  });
  for (let id = 0; id < 10_000; id++) webSocket.send(subscribe(id));
  expect(await (await fetch(`http://${url}/healthz`)).text()).toBe("ok");
  await expect.poll(() => refused, { timeout: 60_000 }).toBe(10_000 - 64);
  expect([asked, open]).toEqual([64, 64]);
  webSocket.close();
  await expect.poll(() => open, { timeout: 60_000 }).toBe(0);
});

test("a message in frames of one byte each ends the connection before it is whole", async () => {
  const [greedy, other] = [await connect(), await connect()];
  const closed = new Promise((resolve) => greedy.once("close", resolve));
  const before = asked;
  for (const byte of Buffer.from(`${subscribe(1)}${" ".repeat(1_000)}`))
    greedy.send(Buffer.of(byte), { fin: false, binary: false });
  await closed;
  expect(asked).toBe(before);
  other.send(subscribe(1));
  await expect.poll(() => asked, { timeout: 60_000 }).toBe(before + 1);
  other.close();
});

test("who asks for ever and reads no answer is let go", async () => {
  const greedy = await connect();
  const closed = new Promise((resolve) => greedy.once("close", resolve));
  greedy.pause();
  let id = 0;
  const asking = setInterval(() => {
    for (let each = 0; each < 2_000 && greedy.bufferedAmount < 1024 * 1024; each++) greedy.send(subscribe(id++));
    // A socket that is paused doesn't see that it was closed.
    if (id > 60_000) greedy.resume();
  }, 5);
  await closed;
  clearInterval(asking);
  expect(open).toBe(0);
}, 120_000);

async function connect(): Promise<WebSocket> {
  const webSocket = new WebSocket(`ws://${url}`, [liveSubprotocol]);
  webSocket.on("error", () => undefined);
  await new Promise((resolve) => webSocket.once("open", resolve));
  return webSocket;
}
