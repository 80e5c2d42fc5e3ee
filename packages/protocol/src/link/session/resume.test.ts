import { expect, it } from "vitest";
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import { frameTypes, resetCodes } from "../wire/index.ts";
import { createLinkBudget } from "./budget.ts";
import { idleStats, openHead, SessionPair } from "./session-pair.fixture.ts";

const silent: StreamHandlers = { onData() {}, onEnd() {}, onReset() {} };

function keep(into: LinkStream[]) {
  return (stream: LinkStream): StreamHandlers => {
    into.push(stream);
    return silent;
  };
}

it("hides a cut from the streams, and opens no new ones meanwhile", () => {
  const atAgent: LinkStream[] = [];
  const got: unknown[] = [];
  const states: string[] = [];
  const pair = new SessionPair({ acceptOnAgent: keep(atAgent), resuming: true });
  pair.hub.session.onStateChanged = (state) => void states.push(state);
  const handlers: StreamHandlers = {
    onData: (chunk) => void got.push(Buffer.from(chunk).toString()),
    onEnd: () => void got.push("end"),
    onReset: (_, code) => void got.push(code),
  };
  pair.hub.session.openStream(openHead(), handlers).end();
  pair.settle();
  atAgent[0]?.respond({ status: 200, headers: [] });
  atAgent[0]?.write(Buffer.from("before "));
  pair.agent.session.writable();
  pair.cut();
  expect([pair.hub.session.state, pair.agent.session.state, pair.dials]).toEqual(["resuming", "resuming", [0]]);
  expect(() => pair.hub.session.openStream(openHead(), silent)).toThrow(
    expect.objectContaining({ code: "LINK_RESUMING", retryable: true }),
  );
  atAgent[0]?.write(Buffer.from("and after"));
  atAgent[0]?.end();
  pair.clock.move(29_000);
  expect(pair.reconnect()).toBe(true);
  pair.settle();
  expect(got.join("")).toBe("before and afterend");
  expect(states).toEqual(["resuming", "up"]);
  expect(pair.hub.session.stats()).toMatchObject({ ...idleStats, resumes: 1 });
});

it("lets the next connection take over while the hub still believes in the last one", () => {
  const pair = new SessionPair({ acceptOnAgent: keep([]), resuming: true });
  pair.settle();
  const first = pair.hub.carrier;
  pair.cut({ hubNotices: false });
  expect(pair.hub.session.state).toBe("up");
  expect(pair.reconnect()).toBe(true);
  expect(first.isTerminated).toBe(true);
  expect(pair.hub.session.state).toBe("up");
});

it("gives up a connection sooner when what was sent isn't acknowledged, as the next one costs little", () => {
  const pair = new SessionPair({ acceptOnAgent: keep([]), resuming: true });
  pair.settle();
  for (let second = 0; second < 60; second += 5) {
    pair.clock.move(5_000);
    pair.settle();
  }
  pair.hub.session.openStream(openHead({ deadlineMs: 80_000 }), silent);
  pair.hub.session.writable();
  pair.clock.move(9_000);
  expect(pair.hub.session.state).toBe("up");
  pair.clock.move(6_000);
  expect(pair.hub.session.state).toBe("resuming");
});

it("ends every stream in an error when nobody comes back in time, and leaves no timer", async () => {
  const resets: number[] = [];
  const pair = new SessionPair({ acceptOnAgent: keep([]), resuming: true });
  pair.settle();
  const handlers = { ...silent, onReset: (_: unknown, code: number) => void resets.push(code) };
  pair.hub.session.openStream(openHead({ deadlineMs: 80_000 }), handlers);
  pair.settle();
  pair.cut();
  pair.clock.move(30_001);
  expect(resets).toEqual([resetCodes.linkLost]);
  expect(await pair.hub.session.closed).toMatchObject({ reason: "closed-by-peer", code: 1006 });
  expect(pair.hub.session.stats()).toMatchObject({ ...idleStats, retainedBytes: 0 });
  expect(pair.reconnect()).toBe(false);
  expect(pair.clock.pendingCount).toBe(0);
});

it("keeps the last answer of a link that is leaving for the next connection, for as long as it may take", async () => {
  const atAgent: LinkStream[] = [];
  const log: unknown[] = [];
  const pair = new SessionPair({ acceptOnAgent: keep(atAgent), resuming: true });
  pair.settle();
  const handlers: StreamHandlers = {
    onData() {},
    onEnd: () => void log.push("end"),
    onReset: (_, code) => void log.push(code),
  };
  pair.hub.session.openStream(openHead(), handlers).end();
  pair.settle();
  const left = pair.agent.session.goAway({ reason: "upgrade", drainMs: 30_000 });
  pair.cut();
  atAgent[0]?.respond({ status: 200, headers: [] });
  atAgent[0]?.end();
  pair.agent.session.writable();
  for (let passedMs = 0; passedMs < 5_000; passedMs += 100) {
    await Promise.resolve();
    pair.clock.move(100);
  }
  expect(pair.reconnect()).toBe(true);
  // It takes a while until it is there and acknowledged.
  pair.clock.move(200);
  await Promise.resolve();
  pair.settle();
  expect(log).toEqual(["end"]);
  for (let passedMs = 0; passedMs < 2_000; passedMs += 100) {
    await Promise.resolve();
    pair.clock.move(100);
    pair.settle();
  }
  await left;
  expect(pair.agent.carrier.closed?.code).toBe(1001);
});

it("counts a head's deadline on while the link is cut", () => {
  const resets: number[] = [];
  const pair = new SessionPair({ acceptOnAgent: keep([]), resuming: true });
  pair.settle();
  const handlers = { ...silent, onReset: (_: unknown, code: number) => void resets.push(code) };
  pair.hub.session.openStream(openHead({ deadlineMs: 3_000 }), handlers);
  pair.settle();
  pair.cut();
  pair.clock.move(5_000);
  expect(resets).toEqual([resetCodes.deadline]);
});

it("refuses to go on where frames would be missing or are only claimed", () => {
  const pair = new SessionPair({ acceptOnAgent: keep([]), resuming: true });
  for (let count = 0; count < 3; count++) pair.hub.session.openStream(openHead(), silent);
  pair.settle();
  pair.clock.move(1_000);
  pair.settle();
  pair.cut();
  const { carrier } = pair.hub;
  expect(pair.hub.session.attach(0, carrier, 2)).toBe(false);
  expect(pair.hub.session.attach(0, carrier, 4)).toBe(false);
  expect(pair.hub.session.attach(0, carrier, 3)).toBe(true);
});

it("keeps no more than its bound for a peer that doesn't acknowledge, and forgets what was", () => {
  const atAgent: LinkStream[] = [];
  const pair = new SessionPair({
    acceptOnAgent: keep(atAgent),
    resuming: true,
    limits: { retainedBytes: 300_000, windowBytes: 1_000_000 },
  });
  let received = 0;
  const stream: LinkStream = pair.hub.session.openStream(openHead(), {
    ...silent,
    onData: (chunk) => {
      received += chunk.byteLength;
      stream.consumed(chunk.byteLength);
    },
  });
  pair.settle();
  atAgent[0]?.respond({ status: 200, headers: [] });
  atAgent[0]?.write(Buffer.alloc(3_000_000));
  pair.cut();
  for (let round = 0; round < 100; round++) pair.agent.session.writable();
  expect(pair.agent.session.stats().retainedBytes).toBeLessThan(300_000);
  pair.reconnect();
  for (let round = 0; round < 20; round++) {
    pair.settle();
    expect(pair.agent.session.stats().retainedBytes).toBeLessThan(400_000);
    pair.clock.move(100);
  }
  pair.settle();
  expect(received).toBe(3_000_000);
  expect(pair.agent.session.stats().retainedBytes).toBe(0);
});

it("keeps little for each peer when the process keeps much for all of them", () => {
  const budget = createLinkBudget({ totalBytes: 100_000_000 });
  const write = (pair: SessionPair): void => {
    pair.settle();
    const stream = pair.hub.session.openStream(openHead({ method: "POST" }), silent);
    pair.settle();
    pair.hub.session.receive(Buffer.from([8, 0, 0, 0, 0, 0, 0, stream.id, 0x7f, 0, 0, 0]));
    pair.cut({ hubNotices: false });
    stream.write(Buffer.alloc(40_000_000));
    pair.hub.session.writable();
  };
  const limits = { socketHighWaterBytes: 1e9 };
  const pairs = [1, 2, 3, 4].map(
    () => new SessionPair({ acceptOnAgent: keep([]), resuming: true, hubBudget: budget, limits }),
  );
  for (const pair of pairs) write(pair);
  const retained = pairs.map(({ hub }) => hub.session.stats().retainedBytes);
  expect(retained[0]).toBeGreaterThan(30_000_000);
  expect(retained.slice(2).every((bytes) => bytes < 1_200_000)).toBe(true);
  expect(budget.retainedBytes).toBe(retained.reduce((sum, bytes) => sum + bytes));
  for (const { hub } of pairs) hub.session.close("done");
  expect(budget.retainedBytes).toBe(0);
});

it("goes on at once when other links have let go of what made this one wait", () => {
  const budget = createLinkBudget({ totalBytes: 20_000_000 });
  const limits = { windowBytes: 8_000_000, socketHighWaterBytes: 1e9 };
  const pair = new SessionPair({ acceptOnAgent: keep([]), resuming: true, hubBudget: budget, limits });
  pair.settle();
  const stream = pair.hub.session.openStream(openHead({ method: "POST" }), silent);
  pair.settle();
  pair.hub.session.receive(Buffer.from([8, 0, 0, 0, 0, 0, 0, stream.id, 0, 0x70, 0, 0]));
  stream.write(Buffer.alloc(3_000_000));
  pair.hub.session.writable();
  budget.retain(15_000_000);
  stream.write(Buffer.alloc(1_000_000));
  pair.hub.session.writable();
  expect(pair.hub.session.stats().credit.queuedBytes).toBe(1_000_000);
  budget.retain(-15_000_000);
  let flushes = 0;
  pair.hub.carrier.requestFlush = () => void flushes++;
  const ack = Buffer.alloc(16);
  ack[0] = frameTypes.ack;
  ack[15] = 2;
  pair.hub.session.receive(ack);
  expect(flushes).toBe(1);
  pair.hub.session.close("done");
});

it.each([
  ["agent", { hub: true, agent: false }],
  ["hub", { hub: false, agent: true }],
])("ends with its connection, as ever, when the %s is too old to resume", (_, resuming) => {
  const resets: number[] = [];
  const pair = new SessionPair({ acceptOnAgent: keep([]), resuming });
  const handlers = { ...silent, onReset: (_error: unknown, code: number) => void resets.push(code) };
  pair.settle();
  pair.hub.session.openStream(openHead(), handlers);
  pair.settle();
  expect([pair.hub.session.stats().retainedBytes, pair.agent.session.stats().retainedBytes]).toEqual([0, 0]);
  pair.cut();
  expect(resets).toEqual([resetCodes.linkLost]);
  expect([pair.dials, pair.clock.pendingCount]).toEqual([[], 0]);
});

it("acknowledges once things are quiet, and has no timer on a link on which nothing happens", () => {
  const pair = new SessionPair({ acceptOnAgent: keep([]), resuming: true });
  pair.settle();
  const idleTimers = pair.clock.pendingCount;
  pair.hub.session.openStream(openHead({ deadlineMs: 1_000 }), silent);
  pair.settle();
  expect(pair.hub.session.stats().retainedBytes).toBeGreaterThan(0);
  pair.clock.move(2_000);
  pair.settle();
  pair.clock.move(1_000);
  pair.settle();
  expect(pair.hub.session.stats().retainedBytes).toBe(0);
  expect(pair.clock.pendingCount).toBe(idleTimers);
});

it("closes the link of a peer that acknowledges what was never sent", async () => {
  const pair = new SessionPair({ resuming: true });
  pair.settle();
  const ack = Buffer.alloc(16);
  ack[0] = 12;
  ack[15] = 9;
  pair.hub.session.receive(ack);
  expect(await pair.hub.session.closed).toMatchObject({ reason: "violation", error: { code: "LINK_ACK_INVALID" } });
});
