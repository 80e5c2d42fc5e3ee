// A few long streams that carry bulk both ways, over two lanes that come about, rest, are cut and come back at any frame:
// each byte arrives once and in order, and an end is only seen behind the last of them.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import { idleStats, openHead, SessionPair } from "./session-pair.fixture.ts";

type Step =
  | { readonly do: "write"; readonly at: number; readonly size: number }
  | { readonly do: "end"; readonly at: number }
  | { readonly do: "deliver"; readonly from: "hub" | "agent"; readonly lane: number; readonly count: number }
  | { readonly do: "flush"; readonly by: "hub" | "agent"; readonly lane: number }
  | { readonly do: "cut" | "cut-bulk"; readonly hubNotices: boolean }
  | { readonly do: "connect" | "connect-bulk" | "rest" };

const at = fc.nat({ max: 5 });
const side = fc.constantFrom("hub" as const, "agent" as const);
const lane = fc.constantFrom(0, 1);
const size = fc.integer({ min: 1, max: 30_000 });
const count = fc.integer({ min: 1, max: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("write" as const), at, size }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("end" as const), at }) },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("deliver" as const), from: side, lane, count }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant("flush" as const), by: side, lane }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constantFrom("cut" as const, "cut-bulk" as const), hubNotices: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("connect" as const, "connect-bulk" as const, "rest" as const),
    }),
  },
);

it("ends no stream before all of it is there, whichever lane is ahead, cut or at rest", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 100, maxLength: 300, size: "max" }), (plan) => {
      const world = new World();
      for (const one of plan) world.run(one);
      world.finish();
    }),
    { numRuns: 250 },
  );
});

class End {
  stream: LinkStream | undefined;
  peer: End | undefined;
  written = 0;
  received = 0;
  hasEnded = false;
  endedAt: number | undefined;
  readonly faults: string[] = [];
  readonly handlers: StreamHandlers = {
    onData: (chunk) => {
      if (this.endedAt !== undefined) this.faults.push("data behind the end");
      for (let index = 0; index < chunk.byteLength; index += 97) {
        if (chunk[index] !== patternAt(this.received + index)) this.faults.push("garbled");
      }
      this.received += chunk.byteLength;
      this.stream?.consumed(chunk.byteLength);
    },
    onEnd: () => {
      this.endedAt = this.received;
      const { hasEnded, written } = this.peer ?? { hasEnded: false, written: 0 };
      if (!hasEnded || this.received !== written) this.faults.push(`ended at ${this.received} of ${written}`);
    },
    onReset: (error) => void this.faults.push(error.code),
  };

  write(sizeBytes: number): void {
    if (this.hasEnded) return;
    const chunk = Buffer.allocUnsafe(sizeBytes);
    for (let index = 0; index < sizeBytes; index++) chunk[index] = patternAt(this.written + index);
    this.written += sizeBytes;
    this.stream?.write(chunk);
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.stream?.end();
  }
}

class World {
  readonly #ends: End[] = [];
  readonly #pair: SessionPair;
  #noticed = 0;

  constructor() {
    const accept = (stream: LinkStream): StreamHandlers => {
      const opener = this.#ends.find((end) => end.stream?.id === stream.id) as End;
      const end = Object.assign(new End(), { stream, peer: opener });
      opener.peer = end;
      this.#ends.push(end);
      stream.respond({ status: 101, headers: [] });
      return end.handlers;
    };
    this.#pair = new SessionPair({
      acceptOnHub: accept,
      acceptOnAgent: accept,
      resuming: true,
      limits: {
        windowBytes: 60_000,
        frameBytes: 10_000,
        retainedBytes: 150_000,
        bulkAfterBytes: 20_000,
        pingMs: tickMs,
        deadMs: 1e10,
        resumeMs: 1e10,
      },
    });
    this.#pair.settle();
    for (const by of [this.#pair.hub, this.#pair.hub, this.#pair.agent]) {
      const end = new End();
      this.#ends.push(end);
      end.stream = by.session.openStream(openHead({ upgrade: true }), end.handlers);
      this.#pair.settle();
    }
  }

  run(one: Step): void {
    const pair = this.#pair;
    switch (one.do) {
      case "write":
        this.#ends[one.at % this.#ends.length]?.write(one.size);
        break;
      case "end":
        this.#ends[one.at % this.#ends.length]?.end();
        break;
      case "deliver":
        for (let left = one.count; left > 0; left--) pair.deliver(pair[one.from], one.lane);
        break;
      case "flush":
        pair[one.by].session.writable(one.lane);
        break;
      case "rest":
        this.#rest();
        break;
      case "cut":
        if (!pair.isCut) pair.cut(one);
        break;
      case "cut-bulk":
        if (pair.hub.bulk && !pair.isBulkCut) pair.cutBulk(one);
        break;
      case "connect":
        if (pair.isCut) expect(pair.reconnect()).toBe(true);
        break;
      case "connect-bulk":
        if (!pair.hub.bulk || pair.isBulkCut) expect(pair.connectBulk()).toBe(true);
    }
    this.#passOnEnds();
    for (const { faults } of this.#ends) if (faults.length > 0) expect(faults).toEqual([]);
  }

  finish(): void {
    for (const end of this.#ends) end.end();
    for (let round = 0; round < 2_000 && this.#ends.some((end) => end.endedAt === undefined); round++) {
      this.run({ do: "connect" });
      if (this.#pair.isBulkCut) this.run({ do: "connect-bulk" });
      this.#pair.settle();
      this.#pair.clock.move(80);
      this.#passOnEnds();
    }
    const expected = this.#ends.map(({ peer }) => peer?.written);
    expect(this.#ends.map(({ endedAt }) => endedAt)).toEqual(expected);
    for (const { session } of [this.#pair.hub, this.#pair.agent]) expect(session.stats()).toMatchObject(idleStats);
  }

  /** Long enough for a lane that nobody needs to be closed, or to be found dead. */
  #rest(): void {
    const { hub, agent, clock } = this.#pair;
    for (let tick = 0; tick < 13; tick++) {
      clock.move(tickMs);
      this.#passOnEnds();
      for (const from of [hub, agent, hub, agent]) for (const lane of [0, 1]) this.#pair.deliver(from, lane);
      this.#passOnEnds();
    }
  }

  /** A side learns of the other's acts on a connection, or doesn't. */
  #passOnEnds(): void {
    const pair = this.#pair;
    const { hub, agent } = pair;
    const hubNotices = this.#noticed % 2 === 0;
    if (!pair.isCut && (hub.carrier.isTerminated || agent.carrier.isTerminated)) {
      this.#noticed++;
      pair.cut({ hubNotices });
    }
    if (!pair.isBulkCut && hub.bulk?.closed !== undefined) {
      if (this.#noticed++ % 3 === 0) pair.cutBulk({ hubNotices });
      else {
        while (pair.deliver(hub, 1));
        pair.isBulkCut = true;
        agent.bulk?.clear();
        agent.session.carrierClosed(hub.bulk.closed.code, "", 1);
      }
    }
    if (!pair.isBulkCut && (hub.bulk?.isTerminated || agent.bulk?.isTerminated)) {
      this.#noticed++;
      pair.cutBulk({ hubNotices });
    }
  }
}

function patternAt(index: number): number {
  return (index * 31 + (index >> 8)) & 0xff;
}

const tickMs = 100;
