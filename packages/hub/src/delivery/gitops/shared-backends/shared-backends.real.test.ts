// A whole hub that shares what a server of the test's stands for, asked by agents' links.
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createLinkTransport, type Link, SharedBackend, SharedBackendService } from "@fairlead/protocol";
import { reservePorts } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dial, enroll, openTestHub, sayHello, type TestHub } from "../../../hub.fixture.ts";

const undo = new AsyncDisposableStack();
const { REDIS, REPO_SERVER, UNSPECIFIED } = SharedBackend;
let on: TestHub;
let redis: Server;
let east: Link;
let west: Link;
/** Connections that came to the target. */
const arrived: Socket[] = [];

beforeAll(async () => {
  redis = createServer({ allowHalfOpen: true }, (socket) => void arrived.push(socket));
  redis.listen(0, "127.0.0.1");
  await once(redis, "listening");
  undo.defer(() => void redis.close());
  const { ports } = undo.use(await reservePorts(1));
  on = undo.use(
    await openTestHub({
      args: [
        "--argo-shared-redis",
        `127.0.0.1:${(redis.address() as { port: number }).port}`,
        "--argo-shared-repo-server",
        `127.0.0.1:${ports[0]}`,
        "--argo-share-with",
        "east,south",
        "--argo-share-one-redis",
      ],
    }),
  );
  east = await join("east", "gitops");
  west = await join("west", "gitops");
});
afterAll(async () => {
  for (const socket of arrived) socket.destroy();
  await undo.disposeAsync();
});

test("bytes pass both ways as they are, and each side's end is told to the other", async () => {
  const large = "x".repeat(3_000_000);
  const from = Promise.withResolvers<void>();
  const read = readAll(east, REDIS, async function* () {
    yield "\0\u{1f}hello ";
    yield large.slice(0, 1_000_000);
    await from.promise;
    yield large.slice(1_000_000);
  });
  const socket = await nextArrival();
  from.resolve();
  expect(await text(socket)).toBe(`\0\u{1f}hello ${large}`);
  socket.end(`answer ${large}`);
  expect(await read).toBe(`answer ${large}`);
});

test.each([
  ["a cluster that isn't named", () => west, REDIS],
  ["what nobody named", () => east, UNSPECIFIED],
  ["what isn't there to name", () => east, 7 as SharedBackend],
] as const)("%s has no way there", async (_, link, backend) => {
  const count = arrived.length;
  await expect(readAll(link(), backend)).rejects.toMatchObject({
    code: Code.PermissionDenied,
    message: expect.stringContaining("SHARED_BACKEND_CLOSED"),
  });
  expect(arrived).toHaveLength(count);
});

test("an identity without the role gitops has no way there, whatever its cluster", async () => {
  const south = await join("south", "proxy");
  await expect(readAll(south, REDIS)).rejects.toMatchObject({ code: Code.PermissionDenied });
});

test("what doesn't answer is told of as such", async () => {
  await expect(readAll(east, REPO_SERVER)).rejects.toMatchObject({
    code: Code.Unavailable,
    message: expect.stringContaining("ECONNREFUSED"),
  });
});

test("a cluster has so many connections at once, and one that ends makes room for another", async () => {
  const before = arrived.length;
  const stop = new AbortController();
  const open = Array.from({ length: 64 }, () =>
    readAll(east, REDIS, () => waitFor(stop.signal), stop.signal).catch(() => undefined),
  );
  await expect.poll(() => arrived.length).toBe(before + 64);
  await expect(readAll(east, REDIS)).rejects.toMatchObject({ code: Code.ResourceExhausted });
  arrived.at(-1)?.end();
  await Promise.race(open);
  const read = readAll(east, REDIS);
  (await nextArrival()).end("there is room");
  expect(await read).toBe("there is room");
  stop.abort();
  await Promise.all(open);
  for (const socket of arrived.slice(before)) socket.on("error", () => undefined).resume();
  await expect.poll(() => arrived.slice(before).every((socket) => socket.readableEnded || socket.destroyed)).toBe(true);
});

test("connections end with the agent's link", async () => {
  const reading = readAll(east, REDIS, () => waitFor(new AbortController().signal));
  reading.catch(() => undefined);
  const socket = await nextArrival();
  const closed = once(socket, "close");
  socket.resume().on("error", () => undefined);
  east.close("the test cuts it");
  await expect(reading).rejects.toThrow(ConnectError);
  socket.end();
  await closed;
});

async function join(cluster: string, role: string): Promise<Link> {
  const link = await dial(await enroll(cluster, on, [role]), on, () => ({ onData: () => undefined }) as never);
  undo.defer(() => link.close("test is done"));
  await sayHello(link, cluster);
  return link;
}

/** Everything that the target sends until it ends. */
async function readAll(
  link: Link,
  backend: SharedBackend,
  texts: () => AsyncIterable<string> = async function* () {},
  signal?: AbortSignal,
): Promise<string> {
  const client = createClient(SharedBackendService, createLinkTransport({ link }));
  const pieces: Uint8Array[] = [];
  for await (const { data } of client.connect(requests(), { ...(signal && { signal }) })) pieces.push(data);
  return Buffer.concat(pieces).toString();

  async function* requests() {
    yield { backend };
    for await (const piece of texts()) yield { data: Buffer.from(piece) };
  }
}

async function* waitFor(signal: AbortSignal): AsyncGenerator<string> {
  yield "hello";
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** Asked for right after the call that makes it come. */
async function nextArrival(): Promise<Socket> {
  const [socket] = (await once(redis, "connection")) as [Socket];
  return socket;
}
