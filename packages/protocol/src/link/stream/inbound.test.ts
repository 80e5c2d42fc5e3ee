import { expect, it } from "vitest";
import { CreditPool } from "./credit-pool.ts";
import { Inbound } from "./inbound.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { WindowTuner } from "./window-tuner.ts";

it("keeps what comes early in few pieces, however small it came, and bytes without end in none", () => {
  const inbound = open();
  const body = Buffer.from(Uint8Array.from({ length: 12_000 }, (_, index) => index % 251));
  for (let at = 1; at < body.byteLength; at++) {
    expect(inbound.earlyData(body.subarray(at, at + 1), at, at === body.byteLength - 1)).toBeUndefined();
    if (at < body.byteLength - 1) expect(inbound.earlyData(Buffer.alloc(0), at + 1, false)).toBeUndefined();
  }
  expect(inbound.data(1, 0, false)).toBeUndefined();
  const pieces = [...takeAll(inbound)];
  expect(Buffer.concat([body.subarray(0, 1), ...pieces]).equals(body)).toBe(true);
  expect(pieces.length).toBeLessThan(5);
  expect([inbound.hasEarly, inbound.receivedBytes]).toEqual([false, body.byteLength]);
});

it("takes nothing early that doesn't follow on what came early before", () => {
  const inbound = open();
  expect(inbound.earlyData(Buffer.alloc(10), 100, false)).toBeUndefined();
  expect(inbound.earlyData(Buffer.alloc(10), 120, false)).toMatchObject({ text: "data at the wrong offset" });
  expect(inbound.earlyData(Buffer.alloc(10), 105, false)).toMatchObject({ text: "data at the wrong offset" });
});

function open(): Inbound {
  const learned = { bytes: 0, at: 0 };
  const tuning = { now: () => 0, rttMs: () => undefined, windowBytes: 262_144, maxWindowBytes: 262_144, learned };
  const inbound = new Inbound(new ReceiveWindow(new CreditPool(1e9, undefined), new WindowTuner(tuning)));
  inbound.window.start();
  return inbound;
}

function* takeAll(inbound: Inbound): Generator<Uint8Array> {
  for (let early = inbound.takeEarly(); early !== undefined; early = inbound.takeEarly()) yield early;
}
