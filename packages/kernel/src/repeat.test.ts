import { expect, test } from "vitest";
import { sleep } from "./clock.ts";
import { type RepeatOptions, type Repetition, repeat } from "./repeat.ts";
import { createMovableClock } from "./testing/index.ts";

test("it runs after its first wait, and then an interval after each run's end", () => {
  const clock = createMovableClock();
  const runs: number[] = [];
  using _repetition = start({ clock, firstMs: 10, run: () => void runs.push(clock.now()) });
  for (let step = 0; step < 25; step++) clock.move(10);
  expect(runs).toEqual([10, 110, 210]);
});

test("a run that takes longer than the interval isn't overtaken by the next one", async () => {
  const clock = createMovableClock();
  const ends: (() => void)[] = [];
  await using repetition = start({ clock, run: () => new Promise<void>((resolve) => ends.push(resolve)) });
  clock.move(100);
  clock.move(1_000);
  expect(ends).toHaveLength(1);
  const settled = repetition.settled();
  ends[0]?.();
  await settled;
  clock.move(99);
  expect(ends).toHaveLength(1);
  clock.move(1);
  expect(ends).toHaveLength(2);
  ends[1]?.();
});

test("failures are told, and it goes on", async () => {
  const clock = createMovableClock();
  const errors: unknown[] = [];
  let runs = 0;
  const run = (): Promise<void> => {
    runs++;
    if (runs === 1) throw new Error("at once");
    return Promise.reject(new Error("later"));
  };
  await using repetition = start({ clock, run, onError: (error) => errors.push(error) });
  for (let round = 0; round < 3; round++) {
    clock.move(100);
    await repetition.settled();
  }
  expect(errors.map(String)).toEqual(["Error: at once", "Error: later", "Error: later"]);
});

test("disposing waits for the run that is under way, whose giving up is no failure, and there is no other", async () => {
  const clock = createMovableClock();
  const errors: unknown[] = [];
  let isOver = false;
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      await sleep(60_000, { clock, signal });
    } finally {
      await Promise.resolve();
      isOver = true;
    }
  };
  const repetition = start({ clock, run, onError: (error) => errors.push(error) });
  clock.move(100);
  await repetition[Symbol.asyncDispose]();
  expect(isOver).toBe(true);
  expect(errors).toEqual([]);
  expect(clock.pendingCount).toBe(0);
});

function start(options: Pick<RepeatOptions, "clock" | "run"> & Partial<RepeatOptions>): Repetition {
  const onError = (error: unknown): never => {
    throw error;
  };
  return repeat({ intervalMs: 100, onError, ...options });
}
