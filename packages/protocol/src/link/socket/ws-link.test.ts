// The link over real WebSockets on loopback.
import { expect, it } from "vitest";
import type { Link } from "../session/index.ts";
import { idleStats, openHead } from "../session/session-pair.fixture.ts";
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import { resetCodes } from "../wire/index.ts";
import { openLinkPair } from "./link-pair.fixture.ts";

const answer = Buffer.alloc(1024, "a");

/** `/stall` and `/bulk/N` stream; everything else answers with 1 KiB; bodies are counted into the answer's header. */
function serve(stream: LinkStream): StreamHandlers {
  let received = 0;
  const size = Number(/^\/bulk\/(\d+)$/.exec(stream.open.path)?.[1] ?? 0);
  if (size > 0) return pour(stream, size);
  return {
    onData: (chunk) => {
      received += chunk.byteLength;
      stream.consumed(chunk.byteLength);
    },
    onEnd: () => {
      stream.respond({ status: 200, headers: ["X-Received", String(received)] });
      stream.write(answer);
      stream.end();
    },
    onReset() {},
  };
}

function pour(stream: LinkStream, size: number): StreamHandlers {
  let left = size;
  const go = (): void => {
    while (left > 0) {
      const chunk = Buffer.alloc(Math.min(left, 60_000), left & 0xff);
      left -= chunk.byteLength;
      if (!stream.write(chunk)) return;
    }
    stream.end();
  };
  stream.respond({ status: 200, headers: [] });
  go();
  const onReset = (): void => {
    left = 0;
  };
  return { onData() {}, onEnd() {}, onReset, onWritable: go };
}

function get(link: Link, path = "/"): Promise<number> {
  return new Promise((resolve, reject) => {
    let received = 0;
    const stream = link.openStream(openHead({ path }), {
      onData: (chunk) => {
        received += chunk.byteLength;
        stream.consumed(chunk.byteLength);
      },
      onEnd: () => resolve(received),
      onReset: reject,
    });
    stream.end();
  });
}

it("serves both directions at once", async () => {
  await using pair = await openLinkPair({ acceptOnHub: serve, acceptOnAgent: serve });
  const calls = Array.from({ length: 500 }, (_, index) => get(index % 2 ? pair.hub : pair.agent));
  expect(new Set(await Promise.all(calls))).toEqual(new Set([1024]));
  const times: number[] = [];
  pair.agent.onPeerTime = (peerMs) => void times.push(peerMs);
  expect(await pair.hub.ping()).toBeGreaterThanOrEqual(0);
  // Each ping says the time of whoever sent it.
  expect(Math.abs((times.at(-1) ?? 0) - Date.now())).toBeLessThan(30_000);
  expect(pair.hub.stats()).toMatchObject(idleStats);
  expect(pair.agent.stats()).toMatchObject(idleStats);
});

it("carries 32 MiB each way while little is held", async () => {
  await using pair = await openLinkPair({ acceptOnAgent: serve });
  expect(await get(pair.hub, `/bulk/${32 << 20}`)).toBe(32 << 20);
  const received = await upload(pair.hub, 32 << 20);
  expect(received).toBe(String(32 << 20));
  expect(pair.agent.stats()).toMatchObject(idleStats);
});

it("keeps a busy stream going beside 300 that nobody reads", async () => {
  await using pair = await openLinkPair({ acceptOnAgent: serve });
  const stalled = Array.from({ length: 300 }, () =>
    pair.hub.openStream(openHead({ path: "/bulk/8000000" }), { onData() {}, onEnd() {}, onReset() {} }),
  );
  await expect.poll(() => pair.hub.stats().streams.open).toBe(300);
  expect(await get(pair.hub, `/bulk/${16 << 20}`)).toBe(16 << 20);
  for (let round = 0; round < 200; round++) expect(await get(pair.hub)).toBe(1024);
  const { credit } = pair.hub.stats();
  expect(credit.heldBytes + credit.grantedBytes).toBeLessThanOrEqual(64 << 20);
  for (const stream of stalled) stream.reset(resetCodes.cancelled);
  await expect.poll(() => pair.agent.stats()).toMatchObject(idleStats);
  expect(pair.hub.stats()).toMatchObject(idleStats);
});

it("has forgotten 10,000 aborted streams, whenever they were aborted", async () => {
  await using pair = await openLinkPair({ acceptOnAgent: serve });
  for (let batch = 0; batch < 100; batch++) {
    const streams = Array.from({ length: 100 }, (_, index) =>
      pair.hub.openStream(openHead({ path: index % 3 ? "/bulk/300000" : "/" }), {
        onData() {},
        onEnd() {},
        onReset() {},
      }),
    );
    for (const [index, stream] of streams.entries()) {
      if (index % 4 === 0) stream.reset(resetCodes.cancelled);
      if (index % 4 === 1) stream.write(Buffer.alloc(50_000));
    }
    await new Promise((resolve) => (batch % 2 ? setImmediate(resolve) : process.nextTick(resolve)));
    for (const stream of streams) stream.reset(resetCodes.cancelled);
  }
  await expect.poll(() => pair.agent.stats()).toMatchObject(idleStats);
  expect(pair.hub.stats()).toMatchObject(idleStats);
  expect(pair.hub.stats().resetsByCode[resetCodes.cancelled]).toBe(10_000);
  expect(await get(pair.hub)).toBe(1024);
});

it("drains after GOAWAY and closes with 1001", async () => {
  await using pair = await openLinkPair({ acceptOnAgent: serve });
  const body = get(pair.hub, `/bulk/${8 << 20}`);
  await pair.hub.ping();
  const drained = pair.hub.goAway({ reason: "test", drainMs: 10_000 });
  expect(await body).toBe(8 << 20);
  await drained;
  expect(await pair.agent.closed).toMatchObject({ reason: "closed-by-peer", code: 1001 });
});

it("tells both sides when the socket is cut", async () => {
  await using pair = await openLinkPair({ acceptOnAgent: serve });
  const body = get(pair.hub, "/bulk/900000000");
  const failed = expect(body).rejects.toMatchObject({ code: "LINK_RESET_LINK_LOST" });
  await pair.hub.ping();
  pair.agentSocket.terminate();
  await failed;
  expect(await pair.hub.closed).toMatchObject({ reason: "closed-by-peer", code: 1006 });
  expect(pair.hub.stats()).toMatchObject(idleStats);
});

function upload(link: Link, size: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    let left = size;
    let received: string | undefined;
    const go = (): void => {
      while (left > 0) {
        const chunk = Buffer.alloc(Math.min(left, 65_536));
        left -= chunk.byteLength;
        if (!stream.write(chunk)) return;
      }
      stream.end();
    };
    const stream = link.openStream(openHead({ method: "POST", path: "/upload" }), {
      onHead: (head) => {
        received = head.headers[1];
      },
      onData: (chunk) => stream.consumed(chunk.byteLength),
      onEnd: () => resolve(received),
      onReset: reject,
      onWritable: go,
    });
    go();
  });
}
