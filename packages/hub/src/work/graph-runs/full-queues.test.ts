import { describe, expect, it } from "vitest";
import { createFullQueues } from "./full-queues.ts";

describe("nodes whose clusters' queues are full", () => {
  it("are left alone until the run has tried the others and some time is over, each time longer, to a minute or so", () => {
    let nowMs = 0;
    const queues = createFullQueues({ steadyMs: () => nowMs });
    const waitsMs = Array.from({ length: 7 }, () => {
      const beganMs = nowMs;
      queues.refuse("run", 3);
      queues.endPass("run");
      while (queues.skipped("run").places.length > 0) nowMs += 1_000;
      return nowMs - beganMs;
    });
    expect(waitsMs).toEqual([4_000, 8_000, 16_000, 32_000, 64_000, 64_000, 64_000]);
  });

  it("aren't tried again before the run has tried all others, however long that takes", () => {
    let nowMs = 0;
    const queues = createFullQueues({ steadyMs: () => nowMs });
    queues.refuse("run", 3);
    nowMs = 100_000;
    expect(queues.skipped("run").places).toEqual([3]);
    queues.endPass("run");
    expect(queues.skipped("run").places).toEqual([]);
  });

  it("wait no longer than at first, once a pass has found no full queue", () => {
    let nowMs = 0;
    const queues = createFullQueues({ steadyMs: () => nowMs });
    for (let pass = 0; pass < 4; pass++) {
      queues.refuse("run", 3);
      queues.endPass("run");
      nowMs += 64_000;
      queues.skipped("run");
    }
    queues.endPass("run");
    queues.skipped("run");
    queues.refuse("run", 3);
    queues.endPass("run");
    nowMs += 4_000;
    expect(queues.skipped("run").places).toEqual([]);
  });

  it("are known by a few hundred numbers, however many there are, and a stack's steps each by its own", () => {
    const queues = createFullQueues({ steadyMs: () => 0 });
    for (let place = 200; place > 0; place--) queues.refuse("stack", place);
    expect(queues.skipped("stack")).toMatchObject({ upTo: 0, places: { length: 200 } });
    for (let place = 1; place <= 10_000; place++) queues.refuse("rollout", place);
    const { upTo, places } = queues.skipped("rollout");
    expect(places.length).toBeLessThan(300);
    expect([...places, upTo].length + upTo).toBeGreaterThan(9_700);
    expect(upTo + places.length).toBe(10_000);
    queues.forget("rollout");
    expect(queues.skipped("rollout")).toEqual({ upTo: 0, places: [] });
  });
});
