// People speak to one hub, and the agent's link is at another: requests cross a link between the two.
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Link } from "@fairlead/protocol";
import { expect, it } from "vitest";
import { openProxyHarness, type ProxyHarness, type ProxyHarnessOptions } from "../proxy/proxy-harness.fixture.ts";
import { openHubLink } from "./hub-link.fixture.ts";
import { takenForDead } from "./peers.ts";
import { createRelay, type RelayCounters } from "./relay.ts";

it("passes a body each way byte by byte, however slowly it is read, and holds no more of it than its credit", async () => {
  await using harness = await openRelayed({
    upstream(req, res) {
      res.writeHead(200, { trailer: "x-sum" });
      const hash = createHash("sha256");
      req.on("data", (chunk: Buffer) => hash.update(chunk));
      req.pipe(res, { end: false });
      req.on("end", () => {
        res.addTrailers({ "x-sum": hash.digest("hex") });
        res.end();
      });
    },
  });
  const body = randomBytes(12 * 1024 * 1024);
  const sending = request(`${harness.url}/echo`, { method: "POST", headers });
  sending.end(body);
  const [answer] = (await once(sending, "response")) as [IncomingMessage];
  const received: Buffer[] = [];
  await sleep(300);
  // Nobody has read anything yet: the rest waits at its source.
  for (const link of [harness.here, harness.there]) {
    const { heldBytes, queuedBytes } = link.stats().credit;
    expect(heldBytes).toBeLessThanOrEqual(windowBytes);
    expect(queuedBytes).toBeLessThanOrEqual(2 * windowBytes);
  }
  for await (const chunk of answer) received.push(chunk as Buffer);
  expect(Buffer.concat(received).equals(body)).toBe(true);
  expect(answer.trailers["x-sum"]).toBe(createHash("sha256").update(body).digest("hex"));
  expect(harness.counters).toEqual({ active: 0, total: 1 });
});

it("passes an upgraded connection on, half-closes included", async () => {
  await using harness = await openRelayed({
    onUpgrade(_req, socket) {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
      socket.pipe(socket);
    },
  });
  const socket = connect(harness.port, "127.0.0.1");
  const head =
    "GET /k8s/clusters/east/api/v1/namespaces/a/pods/b/exec HTTP/1.1\r\nHost: hub\r\nAuthorization: Bearer good";
  socket.write(`${head}\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n`);
  await readUntil(socket, "\r\n\r\n");
  socket.write("first words");
  await readUntil(socket, "first words");
  socket.end("last words");
  await readUntil(socket, "last words");
  await once(socket, "close");
  await expect.poll(() => harness.counters.active).toBe(0);
});

it("tells an answer that broke off from one that ended, and a client that left to the agent", async () => {
  let left = false;
  await using harness = await openRelayed({
    upstream(req, res) {
      req.once("close", () => {
        left ||= req.url?.includes("watch") === true;
      });
      res.writeHead(200);
      res.write("half of it");
      if (!req.url?.includes("watch")) setTimeout(() => res.destroy(), 50);
    },
  });
  const broken = await fetch(`${harness.url}/api/v1/pods`, { headers });
  await expect(broken.text()).rejects.toThrow();
  const stop = new AbortController();
  await fetch(`${harness.url}/api/v1/pods?watch=1`, { headers, signal: stop.signal });
  stop.abort();
  await expect.poll(() => left).toBe(true);
  await expect.poll(() => harness.counters.active).toBe(0);
});

it("passes heads of 900 KiB on, both ways", async () => {
  const padding = "x".repeat(900_000);
  await using harness = await openRelayed({
    upstream(req, res) {
      res.writeHead(200, { "x-echo": req.headers["x-padding"] });
      res.end("ok");
    },
  });
  const asking = request(`${harness.url}/api`, {
    headers: { ...headers, "x-padding": padding },
    maxHeaderSize: 2 ** 20,
  });
  asking.end();
  const [answer] = (await once(asking, "response")) as [IncomingMessage];
  expect([answer.statusCode, answer.headers["x-echo"]]).toEqual([200, padding]);
  answer.resume();
});

it("asks again elsewhere when the other hub has lost the link, and says so when there is none", async () => {
  await using harness = await openRelayed({ returnMs: 200 });
  harness.loseLink();
  const answer = await fetch(`${harness.url}/api/v1/pods`, { headers });
  expect(answer.status).toBe(503);
  expect(harness.counters).toEqual({ active: 0, total: 0 });
});

it("ends a request to a hub that stands still when that one is taken for dead, and says why", async () => {
  const asked = Promise.withResolvers<void>();
  await using harness = await openRelayed({ upstream: () => asked.resolve() });
  const asking = fetch(`${harness.url}/api/v1/pods`, { headers });
  await asked.promise;
  harness.here.close(takenForDead);
  const answer = await asking;
  expect(answer.status).toBe(503);
  expect(await answer.json()).toMatchObject({ kind: "Status", message: expect.stringMatching(/is not connected/) });
});

it("serves nothing but requests to clusters", async () => {
  await using harness = await openRelayed({});
  for (const head of [{ cluster: undefined }, { target: "rpc" as const, cluster: "east" }]) {
    const reset = Promise.withResolvers<number>();
    harness.here.openStream(
      {
        target: "kubernetes",
        method: "GET",
        path: "/",
        headers: [],
        upgrade: false,
        requestId: "r",
        deadlineMs: 10_000,
        ...head,
      },
      { onData() {}, onEnd() {}, onReset: (_error, code) => reset.resolve(code) },
    );
    expect(await reset.promise).toBe(11);
  }
});

interface RelayedHarness extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The link between the hubs, at the end where people are, and at the end where the agent's link is. */
  readonly here: Link;
  readonly there: Link;
  readonly counters: RelayCounters;
  loseLink(): void;
}

async function openRelayed(options: ProxyHarnessOptions): Promise<RelayedHarness> {
  await using undo = new AsyncDisposableStack();
  let links: { here: Link; there: Link } | undefined;
  let isLost = false;
  const connections = (cluster: string) =>
    links && cluster === "east"
      ? [
          {
            link: { openStream: toEast(links.here) },
            hello: { capabilities: ["identity", "large-heads"] },
          },
        ]
      : [];
  const harness: ProxyHarness = undo.use(
    await openProxyHarness({ limits: { maxWindowBytes: windowBytes }, ...options, ports: { connections } }),
  );
  const counters: RelayCounters = { active: 0, total: 0 };
  const record = { link: harness.hubLink, roles: ["proxy"], refusal: undefined, isDraining: false };
  const registry = { own: () => (isLost ? [] : [record]) } as unknown as Parameters<typeof createRelay>[0]["registry"];
  links = undo.use(
    await openHubLink({ accept: createRelay({ registry, counters }), limits: { maxWindowBytes: windowBytes } }),
  );
  const release = undo.move();
  return {
    url: harness.url,
    port: harness.port,
    counters,
    ...links,
    loseLink() {
      isLost = true;
    },
    [Symbol.asyncDispose]: () => release.disposeAsync(),
  };
}

function toEast(link: Link): Link["openStream"] {
  return (open, handlers) => link.openStream({ ...open, cluster: "east" }, handlers);
}

async function readUntil(socket: Socket, end: string): Promise<void> {
  let text = "";
  for await (const [chunk] of on(socket)) {
    text += chunk.toString("latin1");
    if (text.includes(end)) return;
  }
}

async function* on(socket: Socket): AsyncGenerator<[Buffer]> {
  while (true) yield (await once(socket, "data")) as [Buffer];
}

/** The window of each stream between the hubs. */
const windowBytes = 524_288;
const headers = { authorization: "Bearer good" };
