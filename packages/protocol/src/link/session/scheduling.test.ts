import { expect, it } from "vitest";
import type { LinkStream, StreamHandlers } from "../stream/index.ts";
import { frameTypes } from "../wire/index.ts";
import { openHead, SessionPair } from "./session-pair.fixture.ts";

const silent: StreamHandlers = { onData() {}, onEnd() {}, onReset() {} };

function openBulk(): { readonly pair: SessionPair; readonly bulk: LinkStream } {
  const accepted: LinkStream[] = [];
  const pair = new SessionPair({
    acceptOnAgent: (stream) => {
      accepted.push(stream);
      return silent;
    },
  });
  pair.hub.session.openStream(openHead(), silent);
  pair.settle();
  const bulk = accepted[0] as LinkStream;
  bulk.respond({ status: 200, headers: [] });
  pair.settle();
  return { pair, bulk };
}

it("gives the carrier no more data than the high water and one frame, however much there is", () => {
  const { pair, bulk } = openBulk();
  bulk.write(Buffer.alloc(900_000));
  const { session, carrier } = pair.agent;
  session.writable();
  session.writable();
  expect(carrier.bufferedBytes).toBeGreaterThan(65_536);
  expect(carrier.bufferedBytes).toBeLessThan(2 * 65_536 + 100);
  expect(session.stats().credit.queuedBytes).toBeGreaterThan(700_000);
});

it("lets control and heads pass the data that waits", () => {
  const { pair, bulk } = openBulk();
  bulk.write(Buffer.alloc(900_000));
  const { session, carrier } = pair.agent;
  session.writable();
  const waiting = carrier.frames.length;
  session.openStream(openHead({ target: "rpc" }), silent);
  void session.ping().catch(() => {});
  session.writable();
  expect(carrier.frames.slice(waiting).map((frame) => frame[0])).toEqual([frameTypes.ping, frameTypes.open]);
});

it("tells a writer to wait while much is queued, and when to go on", () => {
  const { pair, bulk } = openBulk();
  expect(bulk.write(Buffer.alloc(40_000))).toBe(true);
  expect(bulk.write(Buffer.alloc(40_000))).toBe(false);
  pair.settle();
  expect(bulk.write(Buffer.alloc(10))).toBe(true);
});

it("sends many small writes together", () => {
  const { pair, bulk } = openBulk();
  const { session, carrier } = pair.agent;
  const before = carrier.frames.length;
  for (let count = 0; count < 1_000; count++) bulk.write(Buffer.alloc(10, count));
  session.writable();
  expect(carrier.frames.length - before).toBe(1);
});
