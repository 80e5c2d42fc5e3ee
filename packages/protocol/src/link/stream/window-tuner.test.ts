import { expect, it } from "vitest";
import { CreditPool } from "./credit-pool.ts";
import { ReceiveWindow } from "./receive-window.ts";
import { type LearnedWindow, WindowTuner } from "./window-tuner.ts";

const kibibyte = 1_024;
const mebibyte = 1_024 * kibibyte;
const frameBytes = 64 * kibibyte;

/** A sender that is only held back by credit, over a path with this round trip and rate; the consumer takes all at once. */
function transfer(options: { rttMs: number; bytesPerMs: number; seconds: number; learned?: LearnedWindow }) {
  const { rttMs, bytesPerMs, seconds, learned = { bytes: 0, at: 0 } } = options;
  let now = 0;
  const tuning = {
    now: () => now,
    rttMs: () => rttMs,
    windowBytes: 256 * kibibyte,
    maxWindowBytes: 16 * mebibyte,
    learned,
  };
  const window = new ReceiveWindow(new CreditPool(64 * mebibyte, undefined), new WindowTuner(tuning));
  window.start();
  let credit = window.windowBytes + window.grow();
  let received = 0;
  const arriving = Array.from({ length: rttMs / 2 }, () => 0);
  const returning = Array.from({ length: rttMs / 2 }, () => 0);
  for (; now < seconds * 1_000; now++) {
    credit += returning.shift() ?? 0;
    const sent = Math.min(credit, bytesPerMs);
    credit -= sent;
    arriving.push(sent);
    const bytes = arriving.shift() ?? 0;
    expect(window.receive(bytes)).toBe(true);
    received += bytes;
    let returned = 0;
    for (let left = bytes; left > 0; left -= frameBytes) returned += window.consume(Math.min(left, frameBytes));
    returning.push(returned);
  }
  return { window, bytesPerSecond: received / seconds };
}

it("fills a long fast path, which takes a window of many megabytes", () => {
  const { window, bytesPerSecond } = transfer({ rttMs: 50, bytesPerMs: 250_000, seconds: 4 });
  expect(bytesPerSecond).toBeGreaterThan(200e6);
  expect(window.windowBytes).toBeGreaterThan(6 * mebibyte);
  expect(window.windowBytes).toBeLessThanOrEqual(16 * mebibyte);
});

it("fills it after a few round trips, and sooner when another stream of the link has just done so", () => {
  const path = { rttMs: 50, bytesPerMs: 250_000, seconds: 0.25 };
  const first = transfer(path).bytesPerSecond;
  expect(first).toBeGreaterThan(45e6);
  expect(transfer({ ...path, learned: { bytes: 12_000_000, at: 0 } }).bytesPerSecond).toBeGreaterThan(first * 1.2);
});

it("fills a narrow path without a window that would only stand in its queue", () => {
  const { window, bytesPerSecond } = transfer({ rttMs: 20, bytesPerMs: 12_500, seconds: 4 });
  expect(bytesPerSecond).toBeGreaterThan(12e6);
  expect(window.windowBytes).toBeLessThan(mebibyte);
});

it("keeps the first window where the consumer is slow", () => {
  expect(transfer({ rttMs: 50, bytesPerMs: 100, seconds: 4 }).window.windowBytes).toBe(256 * kibibyte);
});

it("gives back what it no longer needs, in use and after a pause", () => {
  const { tuner, consume, wait } = createTuner();
  consume(100_000, 400);
  expect(tuner.targetBytes).toBe(10_800_000);
  consume(10_000, 400);
  expect(tuner.targetBytes).toBe(1_080_000);
  consume(100_000, 400);
  wait(5_000);
  tuner.consumed(1);
  expect(tuner.targetBytes).toBe(256 * kibibyte);
});

it("keeps its window through a moment in which the process had other things to do", () => {
  const { tuner, consume, wait } = createTuner();
  consume(100_000, 400);
  wait(100);
  consume(100_000, 10);
  expect(tuner.targetBytes).toBe(10_800_000);
});

function createTuner() {
  let now = 0;
  const tuner = new WindowTuner({
    now: () => now,
    rttMs: () => 50,
    windowBytes: 256 * kibibyte,
    maxWindowBytes: 16 * mebibyte,
    learned: { bytes: 0, at: 0 },
  });
  const wait = (durationMs: number): void => {
    now += durationMs;
  };
  const consume = (bytesPerMs: number, durationMs: number): void => {
    for (let left = durationMs; left > 0; left -= 10) {
      wait(10);
      tuner.consumed(bytesPerMs * 10);
    }
  };
  return { tuner, consume, wait };
}
