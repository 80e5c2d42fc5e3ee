// Two sessions driven through random interleavings of everything that streams can do, with every frame moved by hand.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import { frameTypes, resetCodes } from "../wire/index.ts";
import { createLinkBudget } from "./budget.ts";
import { idleStats, openHead, SessionPair, type Side } from "./session-pair.fixture.ts";

type Step =
  | { readonly do: "open"; readonly by: "hub" | "agent"; readonly upgrade: boolean }
  | { readonly do: "respond"; readonly at: number }
  | { readonly do: "write"; readonly at: number; readonly size: number }
  | { readonly do: "end"; readonly at: number; readonly trailers: boolean }
  | { readonly do: "reset"; readonly at: number }
  | { readonly do: "consume"; readonly at: number; readonly size: number }
  | { readonly do: "deliver"; readonly from: "hub" | "agent"; readonly lane: number; readonly count: number }
  | { readonly do: "flush"; readonly by: "hub" | "agent"; readonly lane: number }
  | { readonly do: "pass"; readonly ms: number }
  | { readonly do: "cut"; readonly hubNotices: boolean }
  | { readonly do: "reconnect" }
  | { readonly do: "cut-bulk"; readonly hubNotices: boolean }
  | { readonly do: "connect-bulk" };

const side = fc.constantFrom("hub" as const, "agent" as const);
const lane = fc.constantFrom(0, 1);
const at = fc.nat({ max: 63 });
const size = fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: 5_000 }), fc.nat({ max: 100_000 }));
const steps: fc.MaybeWeightedArbitrary<Step>[] = [
  { weight: 3, arbitrary: fc.record({ do: fc.constant("open" as const), by: side, upgrade: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("respond" as const), at }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("write" as const), at, size }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("end" as const), at, trailers: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("reset" as const), at }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("consume" as const), at, size: fc.nat({ max: 100_000 }) }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("deliver" as const), from: side, lane, count: fc.nat({ max: 8 }) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("flush" as const), by: side, lane }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pass" as const), ms: fc.nat({ max: 400 }) }) },
];
const cuts: fc.MaybeWeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cut" as const), hubNotices: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("reconnect" as const) }) },
];
const bulkLanes: fc.MaybeWeightedArbitrary<Step>[] = [
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cut-bulk" as const), hubNotices: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("connect-bulk" as const) }) },
];

it("keeps every byte in order, no credit exceeded and nothing left over, whatever the interleaving", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(...steps), { maxLength: 150, size: "max" }), (plan) => {
      const world = new World();
      for (const one of plan) world.run(one);
      world.finish();
    }),
    { numRuns: 250 },
  );
});

it("loses nothing and repeats nothing over cuts at any frame, noticed by one side or by both", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(...steps, ...cuts), { maxLength: 150, size: "max" }), (plan) => {
      const world = new World({ resuming: true });
      for (const one of plan) world.run(one);
      world.finish();
    }),
    { numRuns: 250 },
  );
});

it("puts in order what comes on two lanes, each of them cut at any frame", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(...steps, ...cuts, ...bulkLanes), { maxLength: 200, size: "max" }), (plan) => {
      const world = new World({ resuming: true });
      world.run({ do: "connect-bulk" });
      for (const one of plan) world.run(one);
      world.finish();
    }),
    { numRuns: 300 },
  );
});

/** An end of a stream, with the data that went in and that came out. */
class End {
  stream: LinkStream | undefined;
  readonly handlers: StreamHandlers;
  readonly isOpener: boolean;
  peer: End | undefined;
  written = 0;
  received = 0;
  consumed = 0;
  hasHead: boolean;
  hasEnded = false;
  gotHead = false;
  gotEnd: readonly string[] | undefined;
  gotReset = false;
  didReset = false;
  /** Expectations inside handlers would only reset the stream: they are kept for the end. */
  isGarbled = false;
  misfires: string[] = [];

  constructor(isOpener: boolean) {
    this.isOpener = isOpener;
    this.hasHead = isOpener;
    this.handlers = {
      onHead: () => {
        this.#expect(!this.gotHead && !this.isDone, "head");
        this.gotHead = true;
      },
      onData: (chunk) => {
        this.#expect(!this.isDone && this.gotEnd === undefined && (this.gotHead || !isOpener), "data");
        for (let index = 0; index < chunk.byteLength; index++) {
          if (chunk[index] !== patternAt(this.received + index)) this.isGarbled = true;
        }
        this.received += chunk.byteLength;
      },
      onEnd: (trailers) => {
        this.#expect(!this.isDone && this.gotEnd === undefined, "end");
        this.gotEnd = trailers;
      },
      onReset: () => {
        this.#expect(!this.isDone, "reset");
        this.gotReset = true;
      },
      // Real pumps write from inside of the mux's own turn, too.
      onWritable: () => this.write(700),
    };
  }

  write(size: number): void {
    if (!this.hasHead || this.hasEnded || this.isDone) return;
    const chunk = Buffer.allocUnsafe(size);
    for (let index = 0; index < size; index++) chunk[index] = patternAt(this.written + index);
    this.written += size;
    this.stream?.write(chunk);
  }

  #expect(isRight: boolean, what: string): void {
    if (!isRight) this.misfires.push(what);
  }

  get isDone(): boolean {
    return this.gotReset || this.didReset;
  }
}

class World {
  readonly #budget = createLinkBudget({ totalBytes: 400_000 });
  readonly #ends: End[] = [];
  readonly #byRequestId = new Map<string, End>();
  readonly #pair: SessionPair;
  /** Credit per direction of each stream, as an onlooker counts it from the frames. */
  readonly #credit = new Map<string, number>();

  constructor(options: { readonly resuming?: boolean } = {}) {
    const accept = (stream: LinkStream): StreamHandlers => {
      const opener = this.#byRequestId.get(stream.open.requestId) as End;
      const end = new End(false);
      end.stream = stream;
      end.peer = opener;
      opener.peer = end;
      this.#ends.push(end);
      return end.handlers;
    };
    this.#pair = new SessionPair({
      acceptOnHub: accept,
      acceptOnAgent: accept,
      limits: {
        windowBytes: 60_000,
        linkCreditBytes: 300_000,
        frameBytes: 20_000,
        retainedBytes: 100_000,
        bulkAfterBytes: 1,
        pingMs: 1e9,
        deadMs: 1e10,
        resumeMs: 1e9,
      },
      hubBudget: this.#budget,
      ...options,
    });
    this.#pair.settle();
  }

  run(one: Step): void {
    switch (one.do) {
      case "open":
        this.#open(this.#pair[one.by], one.upgrade);
        break;
      case "deliver":
        for (let count = 0; count < one.count; count++) this.#deliver(this.#pair[one.from], one.lane);
        break;
      case "flush":
        this.#pair[one.by].session.writable(one.lane);
        break;
      case "pass":
        this.#pair.clock.move(one.ms);
        break;
      case "cut":
        if (!this.#pair.isCut) this.#pair.cut(one);
        break;
      case "reconnect":
        if (this.#pair.isCut) expect(this.#pair.reconnect()).toBe(true);
        break;
      case "cut-bulk":
        if (this.#pair.hub.bulk && !this.#pair.isBulkCut) this.#pair.cutBulk(one);
        break;
      case "connect-bulk":
        if (!this.#pair.hub.bulk || this.#pair.isBulkCut) expect(this.#pair.connectBulk()).toBe(true);
        break;
      case "respond":
      case "write":
      case "end":
      case "reset":
      case "consume": {
        const end = this.#ends[one.at % Math.max(1, this.#ends.length)];
        if (end) this.#act(end, one);
      }
    }
  }

  /** Lets everything come to its end and checks that both sides agree on what happened. */
  finish(): void {
    this.run({ do: "reconnect" });
    if (this.#pair.isBulkCut) this.run({ do: "connect-bulk" });
    for (let round = 0; round < 400; round++) {
      for (const end of this.#ends) {
        if (!end.hasHead) this.#act(end, { do: "respond", at: 0 });
        this.#act(end, { do: "consume", at: 0, size: Number.POSITIVE_INFINITY });
        this.#act(end, { do: "end", at: 0, trailers: false });
      }
      for (const from of [this.#pair.hub, this.#pair.agent]) {
        for (const lane of [0, 1]) {
          from.session.writable(lane);
          while (this.#deliver(from, lane));
        }
      }
      // Unacknowledged data may hold back the data that is queued.
      this.#pair.clock.move(10);
    }
    for (const end of this.#ends) {
      const { peer, isGarbled, misfires } = end;
      expect({ isGarbled, misfires }).toEqual({ isGarbled: false, misfires: [] });
      if (end.isDone || !peer || peer.isDone) continue;
      expect(end.received).toBe(peer.written);
      expect(end.gotEnd).toBeDefined();
    }
    for (const { session } of [this.#pair.hub, this.#pair.agent]) expect(session.stats()).toMatchObject(idleStats);
    expect([this.#budget.grantedBytes, this.#budget.retainedBytes]).toEqual([
      0,
      this.#pair.hub.session.stats().retainedBytes,
    ]);
  }

  #open(by: Side, upgrade: boolean): void {
    const end = new End(true);
    const requestId = `r${this.#ends.length}`;
    this.#byRequestId.set(requestId, end);
    try {
      end.stream = by.session.openStream(openHead({ requestId, upgrade }), end.handlers);
      this.#ends.push(end);
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: expect.stringMatching(/^LINK_(OVERLOADED|RESUMING)$/) });
    }
  }

  #act(
    end: End,
    one: Exclude<
      Step,
      { do: "open" | "deliver" | "flush" | "pass" | "cut" | "reconnect" | "cut-bulk" | "connect-bulk" }
    >,
  ): void {
    const stream = end.stream as LinkStream;
    switch (one.do) {
      case "respond":
        if (end.hasHead) return;
        end.hasHead = true;
        stream.respond({ status: stream.open.upgrade ? 101 : 200, headers: [] });
        break;
      case "write":
        end.write(one.size);
        break;
      case "end":
        if (!end.hasHead || end.hasEnded) return;
        end.hasEnded = true;
        stream.end(one.trailers ? ["X-Trailer", "1"] : []);
        break;
      case "reset": {
        const isOver = end.isDone || (end.gotEnd !== undefined && end.hasEnded);
        stream.reset(resetCodes.cancelled);
        if (!isOver || end.peer === undefined || !end.peer.gotEnd) end.didReset = true;
        break;
      }
      case "consume": {
        const size = Math.min(one.size, end.received - end.consumed);
        end.consumed += size;
        stream.consumed(size);
        break;
      }
    }
  }

  #deliver(from: Side, lane: number): boolean {
    const frame = (lane === 0 ? from.carrier : from.bulk)?.frames[0];
    if (frame && !(lane === 0 ? this.#pair.isCut : this.#pair.isBulkCut)) this.#watchCredit(from, frame);
    return this.#pair.deliver(from, lane);
  }

  /** Nobody sends more than the other side's OPEN and WINDOW frames allow. */
  #watchCredit(from: Side, frame: Buffer): void {
    const sender = from === this.#pair.hub ? "hub" : "agent";
    const receiver = from === this.#pair.hub ? "agent" : "hub";
    const stream = frame.readUInt32BE(4);
    if (frame[0] === frameTypes.open) {
      const { window } = JSON.parse(frame.toString("utf8", 8)) as { window: number };
      this.#credit.set(`${receiver}:${stream}`, window);
      this.#credit.set(`${sender}:${stream}`, 16_384);
    } else if (frame[0] === frameTypes.window) {
      const key = `${receiver}:${stream}`;
      this.#credit.set(key, (this.#credit.get(key) ?? 0) + frame.readUInt32BE(8));
    } else if (frame[0] === frameTypes.data) {
      const key = `${sender}:${stream}`;
      const left = (this.#credit.get(key) ?? 0) - (frame.byteLength - 16);
      // A WINDOW counts for the onlooker when it arrives, which is when the sender learns of it.
      expect(left).toBeGreaterThanOrEqual(0);
      this.#credit.set(key, left);
    }
  }
}

function patternAt(index: number): number {
  return (index * 31 + (index >> 8)) & 0xff;
}
