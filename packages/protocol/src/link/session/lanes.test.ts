import { expect, it } from "vitest";
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import { frameTypes, resetCodes } from "../wire/index.ts";
import { idleStats, openHead, SessionPair } from "./session-pair.fixture.ts";

interface Download {
  readonly pair: SessionPair;
  readonly log: unknown[];
  readonly atAgent: LinkStream;
  received(): Buffer;
}

/** An answer whose beginning is on lane 0 and whose rest is ready to go over lane 1; nothing of it was delivered. */
function startDownload(options: {
  readonly ends: (stream: LinkStream) => void;
  readonly body: Buffer;
  readonly isAsking?: boolean;
}): Download {
  const { body, ends, isAsking = false } = options;
  const accepted: LinkStream[] = [];
  const limits = { windowBytes: 200_000, frameBytes: 10_000, bulkAfterBytes: 50_000, socketHighWaterBytes: 1e9 };
  const pair = new SessionPair({
    resuming: true,
    limits,
    acceptOnAgent: (stream) => {
      accepted.push(stream);
      return { onData() {}, onEnd() {}, onReset() {} };
    },
  });
  const got: Buffer[] = [];
  const log: unknown[] = [];
  const stream: LinkStream = pair.hub.session.openStream(openHead(), {
    onData: (chunk) => {
      got.push(Buffer.from(chunk));
      stream.consumed(chunk.byteLength);
    },
    onEnd: (trailers) => void log.push(["end", ...trailers]),
    onReset: (_, code) => void log.push(["reset", code]),
  });
  if (!isAsking) stream.end();
  pair.settle();
  const atAgent = accepted[0] as LinkStream;
  atAgent.respond({ status: 200, headers: [] });
  atAgent.write(body.subarray(0, 120_000));
  pair.settle();
  expect(pair.dials).toEqual([1]);
  // Another frame goes the old way, as there is no other yet.
  atAgent.write(body.subarray(120_000, 140_000));
  pair.agent.session.writable();
  expect(pair.connectBulk()).toBe(true);
  atAgent.write(body.subarray(140_000));
  ends(atAgent);
  pair.agent.session.writable(0);
  pair.agent.session.writable(1);
  return { pair, log, atAgent, received: () => Buffer.concat(got) };
}

function deliverAll(pair: SessionPair, lane: number): number {
  let frames = 0;
  while (pair.deliver(pair.agent, lane)) frames++;
  return frames;
}

const body = Buffer.from(Uint8Array.from({ length: 190_000 }, (_, index) => (index * 31 + (index >> 8)) & 0xff));

it.each([
  ["with its last data", (stream: LinkStream) => stream.end(), ["end"]],
  ["with trailers", (stream: LinkStream) => stream.end(["X-Sum", "42"]), ["end", "X-Sum", "42"]],
])("moves bulk to a lane of its own, and hands on in order what overtakes; the end %s", (_, ends, end) => {
  const { pair, log, received } = startDownload({ ends, body });
  expect(deliverAll(pair, 1)).toBeGreaterThan(3);
  expect(received().byteLength).toBe(120_000);
  expect(log).toEqual([]);
  deliverAll(pair, 0);
  expect(received().equals(body)).toBe(true);
  expect(log).toEqual([end]);
  pair.settle();
  expect(pair.hub.session.stats()).toMatchObject(idleStats);
  expect(pair.agent.session.stats()).toMatchObject(idleStats);
});

it("never lets a bare end overtake data that is still on its way on the other lane", () => {
  let received = 0;
  const log: unknown[] = [];
  const accepted: LinkStream[] = [];
  const pair = new SessionPair({
    resuming: true,
    limits: { windowBytes: 200_000, frameBytes: 10_000, bulkAfterBytes: 50_000, socketHighWaterBytes: 1e9 },
    acceptOnAgent: (stream) => {
      accepted.push(stream);
      return {
        onData: (chunk) => {
          received += chunk.byteLength;
          stream.consumed(chunk.byteLength);
        },
        onEnd: () => void log.push(["end", received]),
        onReset: (_, code) => void log.push(["reset", code]),
      };
    },
  });
  const stream: LinkStream = pair.hub.session.openStream(openHead({ upgrade: true }), {
    onData: (chunk) => stream.consumed(chunk.byteLength),
    onEnd() {},
    onReset() {},
  });
  pair.settle();
  const atAgent = accepted[0] as LinkStream;
  atAgent.respond({ status: 101, headers: [] });
  stream.write(Buffer.alloc(100_000));
  atAgent.write(Buffer.alloc(100_000));
  pair.settle();
  stream.write(Buffer.alloc(40_000));
  pair.hub.session.writable(0);
  expect(pair.connectBulk()).toBe(true);
  // The other side's data is bulk too, and moves first.
  atAgent.write(Buffer.alloc(10_000));
  for (const lane of [0, 1]) pair.agent.session.writable(lane);
  for (const lane of [0, 1]) deliverAll(pair, lane);
  stream.end();
  pair.hub.session.writable(1);
  while (pair.deliver(pair.hub, 1));
  expect(log).toEqual([]);
  pair.settle();
  expect(log).toEqual([["end", 140_000]]);
});

it("takes no answer for broken whose end waits for its beginning, when the rest of the question isn't wanted", () => {
  const ends = (stream: LinkStream): void => stream.end();
  const { pair, log, atAgent, received } = startDownload({ ends, body, isAsking: true });
  atAgent.reset(resetCodes.noError);
  deliverAll(pair, 1);
  expect(log).toEqual([]);
  deliverAll(pair, 0);
  expect(received().equals(body)).toBe(true);
  expect(log).toEqual([["end"]]);
  expect(pair.hub.session.stats()).toMatchObject(idleStats);
});

it("keeps heads, credit and small streams on lane 0, and all that a moved stream says on lane 1", () => {
  const { pair, atAgent } = startDownload({ ends: () => {}, body });
  pair.settle();
  atAgent.reset(resetCodes.upstreamBroken);
  expect(pair.agent.bulk?.frames.map((frame) => frame[0])).toEqual([frameTypes.reset]);
  const silent: StreamHandlers = { onData() {}, onEnd() {}, onReset() {} };
  pair.agent.session.openStream(openHead({ target: "rpc" }), silent).end();
  pair.agent.session.writable(0);
  expect(pair.agent.carrier.frames.map((frame) => frame[0])).toContain(frameTypes.open);
});

it("goes on without its bulk lane, whose data waits for it, and ends in errors when that stays away", async () => {
  const { pair, log, received } = startDownload({ ends: (stream) => stream.end(), body });
  pair.cutBulk();
  deliverAll(pair, 0);
  expect(pair.hub.session.state).toBe("up");
  expect(await roundTrip(pair)).toBe(0);
  pair.clock.move(10_000);
  pair.settle();
  expect(pair.connectBulk()).toBe(true);
  pair.settle();
  expect(received().equals(body)).toBe(true);
  expect(log).toEqual([["end"]]);

  const lost = startDownload({ ends: (stream) => stream.end(), body });
  lost.pair.cutBulk();
  for (let second = 0; second < 31; second++) {
    lost.pair.clock.move(1_000);
    lost.pair.settle();
  }
  const { closed } = lost.pair.agent.carrier;
  expect(closed?.code).toBe(4404);
  lost.pair.hub.session.carrierClosed(4404, "");
  expect(lost.log).toEqual([["reset", resetCodes.linkLost]]);
});

it("loses nothing but the lane when it stays away and nobody uses it", () => {
  const { pair } = startDownload({ ends: (stream) => stream.end(), body });
  pair.settle();
  pair.clock.move(1_000);
  pair.settle();
  pair.cutBulk();
  for (let second = 0; second < 40; second++) {
    pair.clock.move(1_000);
    pair.settle();
  }
  expect([pair.hub.session.state, pair.agent.session.state]).toEqual(["up", "up"]);
  expect(pair.hub.carrier.isTerminated).toBe(false);
});

it("asks for a bulk lane again after one that stayed away", () => {
  const accepted: LinkStream[] = [];
  const pair = new SessionPair({
    resuming: true,
    limits: { windowBytes: 200_000, frameBytes: 10_000, bulkAfterBytes: 50_000 },
    acceptOnAgent: (stream) => {
      accepted.push(stream);
      return { onData() {}, onEnd() {}, onReset() {} };
    },
  });
  const rest = (seconds: number): void => {
    for (let second = 0; second < seconds; second++) {
      pair.clock.move(1_000);
      pair.settle();
    }
  };
  const download = (): void => {
    const handlers = { onData: (chunk: Uint8Array) => stream.consumed(chunk.byteLength), onEnd() {}, onReset() {} };
    const stream: LinkStream = pair.hub.session.openStream(openHead(), handlers);
    stream.end();
    pair.settle();
    accepted.at(-1)?.respond({ status: 200, headers: [] });
    accepted.at(-1)?.write(Buffer.alloc(120_000));
    accepted.at(-1)?.end();
    pair.settle();
  };
  download();
  expect(pair.connectBulk()).toBe(true);
  rest(1);
  pair.cutBulk();
  rest(40);
  expect(pair.dials).toEqual([1, 1]);
  download();
  expect(pair.dials).toEqual([1, 1, 1]);
  expect(pair.connectBulk()).toBe(true);
});

it("closes a bulk lane that is idle for a minute, and dials it again for the next bulk", () => {
  const { pair, log, atAgent, received } = startDownload({ ends: () => {}, body });
  const rest = (): void => {
    for (let second = 0; second < 70; second++) {
      pair.clock.move(1_000);
      pair.settle();
    }
  };
  pair.settle();
  rest();
  const { closed } = pair.hub.bulk ?? {};
  expect(closed?.code).toBe(4409);
  // The agent has a stream there: it wants the lane back.
  pair.agent.session.carrierClosed(4409, "", 1);
  expect(pair.dials).toEqual([1, 1]);
  expect(pair.connectBulk()).toBe(true);
  atAgent.end();
  pair.settle();
  expect(received().equals(body)).toBe(true);
  expect(log).toEqual([["end"]]);
  rest();
  pair.agent.session.carrierClosed(4409, "", 1);
  rest();
  expect([pair.dials.length, pair.hub.session.state, pair.agent.session.state]).toEqual([2, "up", "up"]);
  expect(pair.connectBulk()).toBe(true);
  expect(pair.hub.session.stats().resumes).toBe(0);
});

it("asks for no second lane of a peer that takes one, and takes no third", () => {
  const pair = new SessionPair({ resuming: true, limits: { lanes: 1, bulkAfterBytes: 1 } });
  pair.settle();
  expect(pair.connectBulk()).toBe(false);
  const other = new SessionPair({ resuming: true });
  other.settle();
  expect(other.hub.session.attach(2, other.hub.carrier, 0)).toBe(false);
  expect(other.hub.session.attach(1, other.hub.carrier, 7)).toBe(false);
});

it("refuses data that overlaps what is waiting for its turn", () => {
  const { pair, log } = startDownload({ ends: () => {}, body });
  deliverAll(pair, 1);
  const frame = pair.agent.carrier.frames.at(-1) as Buffer;
  pair.hub.session.receive(Buffer.concat([frame.subarray(0, 16), Buffer.alloc(60_000)]));
  expect(frame[0]).toBe(frameTypes.data);
  expect(log).toEqual([["reset", resetCodes.protocol]]);
});

async function roundTrip(pair: SessionPair): Promise<number> {
  const ping = pair.hub.session.ping();
  pair.settle();
  return ping;
}
