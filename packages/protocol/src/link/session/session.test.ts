import { expect, it } from "vitest";
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import { type RawHeaders, type ResponseHead, resetCodes } from "../wire/index.ts";
import { createLinkBudget } from "./budget.ts";
import { idleStats, openHead, SessionPair } from "./session-pair.fixture.ts";

/** Handlers that write down what happened, in order. */
function record(log: unknown[], more: Partial<StreamHandlers> = {}): StreamHandlers {
  return {
    onHead: (head: ResponseHead) => void log.push(["head", head.status, ...head.headers]),
    onData: (chunk: Uint8Array) => void log.push(Buffer.from(chunk).toString()),
    onEnd: (trailers: RawHeaders) => void log.push(["end", ...trailers]),
    onReset: (error, code) => void log.push(["reset", code, error.code]),
    ...more,
  };
}

function keepStreams(into: LinkStream[], log: unknown[] = [], more: Partial<StreamHandlers> = {}) {
  return (stream: LinkStream): StreamHandlers => {
    into.push(stream);
    return record(log, more);
  };
}

it("carries a request and its answer with header lines as they were, half-closed and with trailers", () => {
  const atHub: LinkStream[] = [];
  const hubLog: unknown[] = [];
  const agentLog: unknown[] = [];
  const pair = new SessionPair({ acceptOnHub: keepStreams(atHub, hubLog) });
  const headers = ["X-Stream-Protocol-Version", "v4", "x-stream-protocol-version", "v3", "Accept", "*/*"];
  const stream = pair.agent.session.openStream(openHead({ method: "POST", headers }), record(agentLog));
  stream.write(Buffer.from("question"));
  stream.end(["X-Check", "abc"]);
  pair.settle();
  expect(atHub[0]?.open.headers).toEqual(headers);
  expect(hubLog).toEqual(["question", ["end", "X-Check", "abc"]]);
  expect(pair.hub.session.stats().streams).toEqual({ opening: 1, open: 0, halfClosed: 0 });
  atHub[0]?.respond({ status: 200, headers: ["Content-Type", "text/plain"] });
  atHub[0]?.write(Buffer.from("answer"));
  pair.settle();
  expect(pair.hub.session.stats().streams).toEqual({ opening: 0, open: 0, halfClosed: 1 });
  atHub[0]?.end();
  pair.settle();
  expect(agentLog).toEqual([["head", 200, "Content-Type", "text/plain"], "answer", ["end"]]);
  expect(pair.hub.session.stats()).toMatchObject(idleStats);
  expect(pair.agent.session.stats()).toMatchObject(idleStats);
});

it("needs three frames for a GET with a small answer", () => {
  const pair = new SessionPair({
    acceptOnAgent: (stream) => ({
      onData() {},
      onEnd() {
        stream.respond({ status: 200, headers: [] });
        stream.write(Buffer.from("{}"));
        stream.end();
      },
      onReset() {},
    }),
  });
  pair.settle();
  const before = pair.hub.session.stats().frames;
  pair.hub.session.openStream(openHead(), record([])).end();
  pair.settle();
  const after = pair.hub.session.stats().frames;
  expect([after.sent - before.sent, after.received - before.received]).toEqual([1, 2]);
});

it("becomes a byte pipe after 101, each direction closing apart", () => {
  const atAgent: LinkStream[] = [];
  const agentLog: unknown[] = [];
  const hubLog: unknown[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent, agentLog) });
  const stream = pair.hub.session.openStream(openHead({ upgrade: true }), record(hubLog));
  pair.settle();
  atAgent[0]?.respond({ status: 101, headers: ["Upgrade", "SPDY/3.1"] });
  atAgent[0]?.write(Buffer.from("ready"));
  pair.settle();
  stream.write(Buffer.from("stdin"));
  stream.end();
  pair.settle();
  atAgent[0]?.write(Buffer.from("stdout"));
  atAgent[0]?.end();
  pair.settle();
  expect(hubLog).toEqual([["head", 101, "Upgrade", "SPDY/3.1"], "ready", "stdout", ["end"]]);
  expect(agentLog).toEqual(["stdin", ["end"]]);
});

it("refuses a 101 that nobody asked for", () => {
  const atAgent: LinkStream[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent) });
  pair.hub.session.openStream(openHead(), record([]));
  pair.settle();
  expect(() => atAgent[0]?.respond({ status: 101, headers: [] })).toThrow(/101/);
  expect(() => atAgent[0]?.respond({ status: 100, headers: [] })).toThrow(/100/);
});

it("tells both sides of a reset, with its code and text, once", () => {
  const atAgent: LinkStream[] = [];
  const agentLog: unknown[] = [];
  const hubLog: unknown[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent, agentLog) });
  const stream = pair.hub.session.openStream(openHead(), record(hubLog));
  pair.settle();
  atAgent[0]?.reset(resetCodes.upstreamUnreachable, "connection refused");
  atAgent[0]?.reset(resetCodes.internal);
  pair.settle();
  stream.reset(resetCodes.cancelled);
  pair.settle();
  expect(hubLog).toEqual([["reset", resetCodes.upstreamUnreachable, "LINK_RESET_UPSTREAM_UNREACHABLE"]]);
  expect(agentLog).toEqual([]);
  expect(pair.hub.session.stats().resetsByCode).toEqual({ [resetCodes.upstreamUnreachable]: 1 });
});

it("sends nothing at all for a stream that is opened and reset in the same turn", () => {
  const atAgent: LinkStream[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent) });
  pair.settle();
  const { sent } = pair.hub.session.stats().frames;
  pair.hub.session.openStream(openHead(), record([])).reset(resetCodes.cancelled);
  pair.hub.session.openStream(openHead({ path: "/second" }), record([]));
  pair.settle();
  expect(pair.hub.session.stats().frames.sent).toBe(sent + 1);
  expect(atAgent.map((stream) => stream.open.path)).toEqual(["/second"]);
});

it("treats a reset without error after a whole answer as the end of it", () => {
  const atAgent: LinkStream[] = [];
  const hubLog: unknown[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent), limits: { windowBytes: 20_000 } });
  const more = { onWritable: () => void hubLog.push("writable") };
  const stream = pair.hub.session.openStream(openHead({ method: "POST" }), record(hubLog, more));
  expect(stream.write(Buffer.alloc(100_000))).toBe(false);
  pair.settle();
  atAgent[0]?.respond({ status: 413, headers: [] });
  atAgent[0]?.end();
  pair.settle();
  atAgent[0]?.reset(resetCodes.noError);
  pair.settle();
  expect(hubLog).toEqual([["head", 413], ["end"], "writable"]);
  expect(stream.write(Buffer.alloc(10))).toBe(true);
  expect(pair.hub.session.stats()).toMatchObject(idleStats);
});

it("gives up a stream whose head doesn't come in time, on both sides, and none that was answered", () => {
  const atAgent: LinkStream[] = [];
  const agentLog: unknown[] = [];
  const hubLog: unknown[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent, agentLog) });
  pair.hub.session.openStream(openHead({ deadlineMs: 2_000 }), record(hubLog));
  pair.hub.session.openStream(openHead({ deadlineMs: 2_000, path: "/watch" }), record([]));
  pair.settle();
  atAgent[1]?.respond({ status: 200, headers: [] });
  pair.settle();
  pair.clock.move(1_900);
  expect(hubLog).toEqual([]);
  pair.clock.move(600);
  pair.settle();
  expect(hubLog).toEqual([["reset", resetCodes.deadline, "LINK_RESET_DEADLINE"]]);
  expect(agentLog).toEqual([["reset", resetCodes.deadline, "LINK_RESET_DEADLINE"]]);
  expect(pair.hub.session.stats().streams).toEqual({ opening: 0, open: 1, halfClosed: 0 });
});

it("lets streams in flight end after GOAWAY, refuses new ones, and closes when the last is over", async () => {
  const atAgent: LinkStream[] = [];
  const hubLog: unknown[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent) });
  const heard: unknown[] = [];
  pair.agent.session.onGoAway = (message) => void heard.push(message);
  pair.hub.session.openStream(openHead(), record(hubLog)).end();
  pair.settle();
  const isDrained = pair.hub.session.goAway({ reason: "upgrade", drainMs: 5_000, reconnectAfterMs: 50 });
  const isDrainedToo = pair.hub.session.goAway({ reason: "twice", drainMs: 1 });
  // The stream is on its way while GOAWAY crosses it.
  const lateLog: unknown[] = [];
  pair.agent.session.openStream(openHead(), record(lateLog));
  pair.settle();
  expect(heard).toEqual([{ reason: "upgrade", drainMs: 5_000, reconnectAfterMs: 50 }]);
  expect(lateLog).toEqual([["reset", resetCodes.goingAway, "LINK_RESET_GOING_AWAY"]]);
  expect(() => pair.hub.session.openStream(openHead(), record([]))).toThrow(/going away/);
  expect(() => pair.agent.session.openStream(openHead(), record([]))).toThrow(/going away/);
  expect(pair.hub.carrier.closed).toBeUndefined();
  atAgent[0]?.respond({ status: 200, headers: [] });
  atAgent[0]?.end();
  pair.settle();
  await Promise.all([isDrained, isDrainedToo]);
  expect(hubLog).toEqual([["head", 200], ["end"]]);
  await pair.hub.session.goAway({ reason: "again", drainMs: 5_000 });
  expect(pair.hub.carrier.closed).toEqual({ code: 1001, text: "upgrade" });
  expect(await pair.hub.session.closed).toEqual({ reason: "closed-by-us" });
});

it("closes at the drain's deadline when streams go on", async () => {
  const hubLog: unknown[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams([]) });
  pair.hub.session.openStream(openHead({ deadlineMs: 80_000 }), record(hubLog));
  const isDrained = pair.hub.session.goAway({ reason: "stop", drainMs: 1_000 });
  pair.settle();
  pair.clock.move(1_001);
  await isDrained;
  expect(hubLog).toEqual([["reset", resetCodes.linkLost, "LINK_RESET_LINK_LOST"]]);
});

it("pings every 10 s both ways and notices a peer that is silent for 25 s", async () => {
  const pair = new SessionPair();
  pair.settle();
  pair.clock.move(10_000);
  pair.settle();
  expect(pair.hub.session.stats().lastRttMs).toBe(0);
  expect(pair.agent.session.stats().lastRttMs).toBe(0);
  for (let round = 0; round < 20; round++) {
    pair.clock.move(5_000);
    pair.settle();
  }
  expect(pair.hub.carrier.isTerminated).toBe(false);
  pair.clock.move(25_000);
  expect(pair.hub.carrier.isTerminated).toBe(true);
  expect(await pair.hub.session.closed).toEqual({ reason: "dead-peer", silentMs: 25_000 });
  expect(pair.clock.pendingCount).toBe(0);
});

it("measures a round trip on demand, and lets go of it when the link ends or the caller stops waiting", async () => {
  const pair = new SessionPair();
  pair.settle();
  const answered = pair.hub.session.ping();
  pair.clock.move(30);
  pair.settle();
  expect(await answered).toBe(30);
  const controller = new AbortController();
  const aborted = pair.hub.session.ping({ signal: controller.signal });
  controller.abort(new Error("no time"));
  await expect(aborted).rejects.toThrow("no time");
  const cut = pair.hub.session.ping();
  pair.hub.session.close("bye");
  await expect(cut).rejects.toMatchObject({ code: "LINK_CLOSED" });
  await expect(pair.hub.session.ping()).rejects.toMatchObject({ code: "LINK_CLOSED" });
});

it("ends every stream with linkLost when the socket goes, and takes no new ones", async () => {
  const hubLog: unknown[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams([]) });
  pair.hub.session.openStream(openHead(), record(hubLog));
  pair.settle();
  pair.hub.session.carrierFailed(new Error("ECONNRESET"));
  expect(hubLog).toEqual([["reset", resetCodes.linkLost, "LINK_RESET_LINK_LOST"]]);
  expect(() => pair.hub.session.openStream(openHead(), record([]))).toThrow(/closed/);
  expect(await pair.hub.session.closed).toMatchObject({
    reason: "socket-error",
    error: { code: "LINK_SOCKET_FAILED" },
  });
  expect(pair.hub.session.stats()).toMatchObject(idleStats);
});

it("limits how many streams a peer may have open", () => {
  const atAgent: LinkStream[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent), limits: { streams: 3 } });
  pair.settle();
  const streams = [1, 2, 3].map(() => pair.hub.session.openStream(openHead(), record([])));
  expect(() => pair.hub.session.openStream(openHead(), record([]))).toThrow(/limit/);
  streams[0]?.reset(resetCodes.cancelled);
  expect(pair.hub.session.openStream(openHead(), record([])).id).toBeGreaterThan(6);
});

it("loses only the stream whose handler or acceptor throws", () => {
  const hubLog: unknown[] = [];
  const pair = new SessionPair({
    acceptOnAgent: (stream) => {
      if (stream.open.path === "/refused") throw new Error("secret detail");
      return {
        onData: () => {
          throw new Error("bug");
        },
        onEnd() {},
        onReset() {},
      };
    },
  });
  const broken = pair.hub.session.openStream(openHead({ method: "POST" }), record(hubLog));
  broken.write(Buffer.from("x"));
  pair.hub.session.openStream(openHead({ path: "/refused" }), {
    ...record(hubLog),
    onReset: (error) => void hubLog.push(error.message),
  });
  pair.settle();
  expect(hubLog).toEqual(
    [["reset", resetCodes.internal, "LINK_RESET_INTERNAL"], expect.not.stringContaining("secret detail")].reverse(),
  );
  expect(pair.hub.carrier.closed).toBeUndefined();
});

it("gives smaller windows when credit gets scarce, and never none to a stream that is there", () => {
  const budget = createLinkBudget({ totalBytes: 2_000_000 });
  const atAgent: LinkStream[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent), hubBudget: budget });
  pair.settle();
  const got: number[] = [];
  const streams = Array.from({ length: 60 }, (_, index) =>
    pair.hub.session.openStream(
      openHead({ deadlineMs: 80_000 }),
      record([], {
        onData: (chunk) => {
          got[index] = (got[index] ?? 0) + chunk.byteLength;
        },
      }),
    ),
  );
  pair.settle();
  for (const stream of atAgent) {
    stream.respond({ status: 200, headers: [] });
    stream.write(Buffer.alloc(3_000_000));
  }
  pair.settle();
  expect(budget.grantedBytes).toBeLessThanOrEqual(2_000_000);
  expect(Math.min(...got)).toBeGreaterThanOrEqual(16_384);
  expect(pair.hub.session.stats().credit.heldBytes).toBeLessThanOrEqual(2_000_000);
  // A stream whose reader goes on gets all of its data, whatever the others do.
  for (let round = 0; round < 1_000 && (got[59] ?? 0) < 3_000_000; round++) {
    streams[59]?.consumed(Number.MAX_SAFE_INTEGER);
    pair.settle();
  }
  expect(got[59]).toBe(3_000_000);
  for (const stream of streams) stream.reset(resetCodes.cancelled);
  expect(budget.grantedBytes).toBe(0);
});

it("reports queues that wait and readers that stand still", () => {
  const atAgent: LinkStream[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent), limits: { windowBytes: 20_000, deadMs: 1e9 } });
  pair.hub.session.openStream(openHead(), record([]));
  pair.settle();
  atAgent[0]?.respond({ status: 200, headers: [] });
  atAgent[0]?.write(Buffer.alloc(100_000));
  pair.settle();
  pair.clock.move(61_000);
  const stats = pair.agent.session.stats();
  expect(stats.starvedStreams).toBe(1);
  expect(stats.queueAgeMs).toBe(61_000);
  expect(stats.credit.queuedBytes).toBeGreaterThan(70_000);
});

it("sends data of many streams in turns, and heads and control before it", () => {
  const atAgent: LinkStream[] = [];
  const order: string[] = [];
  const pair = new SessionPair({ acceptOnAgent: keepStreams(atAgent) });
  pair.settle();
  for (const name of ["a", "b", "c"]) {
    pair.hub.session.openStream(
      openHead({ path: `/${name}` }),
      record([], { onData: () => void order.push(name), onHead: () => void order.push(`head ${name}`) }),
    );
  }
  pair.settle();
  for (const stream of atAgent) stream.respond({ status: 200, headers: [] });
  atAgent[0]?.write(Buffer.alloc(200_000));
  atAgent[1]?.write(Buffer.alloc(200_000));
  atAgent[2]?.write(Buffer.alloc(10));
  pair.settle();
  expect(order.slice(0, 3)).toEqual(["head a", "head b", "head c"]);
  expect(order.slice(3, 8)).toEqual(["a", "b", "c", "a", "b"]);
});

it("refuses what could never be read at the other end, before anything is sent", () => {
  const pair = new SessionPair();
  const { session } = pair.hub;
  const open = (overrides: Parameters<typeof openHead>[0]) => () => session.openStream(openHead(overrides), record([]));
  expect(open({ requestId: "with space" })).toThrow(/request id/);
  expect(open({ deadlineMs: Number.POSITIVE_INFINITY })).toThrow(/deadline/);
  expect(open({ headers: ["Cookie", "x".repeat(200_000)] })).toThrow(
    expect.objectContaining({ code: "LINK_HEAD_TOO_LARGE", httpStatus: 431 }),
  );
  expect(session.stats()).toMatchObject(idleStats);
});
