import { createMovableClock } from "@fairlead/kernel/testing";
import { describe, expect, it } from "vitest";
import { createLogger } from "../telemetry/index.ts";
import { openBus } from "./bus.ts";
import { busErrors } from "./errors.ts";
import { createMemoryAdapter, type MemoryHall } from "./memory.ts";
import type { Adapter, Bus, BusState, Hint, TransportEvents } from "./types.ts";

const log = createLogger({ level: "silent", name: "test" });

describe("a bus", () => {
  it("tells other hubs at once, and not the one that hints", async () => {
    await using harness = await openTwo();
    harness.first.hint("links", "east");
    await expect.poll(() => harness.heard).toEqual([["second", { kind: "topic", topic: "links", details: ["east"] }]]);
  });

  it("sends some twenty messages a second, however many hints there are", async () => {
    await using harness = await openTwo();
    for (let ms = 0; ms < 1_000; ms += 1) {
      for (let index = 0; index < 5; index += 1) harness.first.hint("links", `cluster-${ms}-${index}`);
      await settle();
      harness.clock.move(1);
    }
    await settle();
    harness.clock.move(100);
    expect(harness.first.counters.hints).toBe(5_000);
    expect(harness.first.counters.sent).toBeGreaterThan(10);
    expect(harness.first.counters.sent).toBeLessThanOrEqual(21);
    expect(harness.second.counters.received).toBe(harness.first.counters.sent);
    const details = harness.heard.flatMap(([, hint]) => (hint.kind === "topic" ? (hint.details ?? []) : []));
    expect(new Set(details).size).toBe(5_000);
  });

  it("looks at everything after it was away, and takes a message that it can't read for everything", async () => {
    const heard: Hint[] = [];
    let events: TransportEvents | undefined;
    const adapter: Adapter = {
      name: "memory",
      async open(given) {
        events = given;
        return { send: () => Promise.reject(new Error("away")), async [Symbol.asyncDispose]() {} };
      },
    };
    const clock = createMovableClock();
    await using bus = await openBus({ adapter, hubInstanceId: "hub_1", clock, log });
    using _listening = bus.onHint((hint) => heard.push(hint));
    bus.hint("access");
    await settle();
    expect(bus.counters).toMatchObject({ hints: 1, sent: 0, failed: 1 });
    const away: BusState = { kind: "away", error: busErrors.BUS_AWAY({ where: "x", reason: "gone" }), sinceMs: 0 };
    events?.onState(away);
    expect([bus.state, heard]).toEqual([away, []]);
    events?.onState({ kind: "up" });
    expect([bus.state, heard]).toEqual([{ kind: "up" }, [{ kind: "everything" }]]);
    for (const text of ["", "{", '{"topics":{}}', '{"from":"hub_2","topics":{"a":[1]}}', '{"from":"hub_2","v":2}'])
      events?.onMessage(text);
    expect(heard.slice(1)).toEqual(Array.from({ length: 5 }, () => ({ kind: "everything" })));
    events?.onMessage('{"from":"hub_1","topics":{"access":null}}');
    expect(heard).toHaveLength(6);
  });
});

interface Two extends AsyncDisposable {
  readonly first: Bus;
  readonly second: Bus;
  readonly clock: ReturnType<typeof createMovableClock>;
  readonly heard: readonly (readonly [string, Hint])[];
}

async function openTwo(): Promise<Two> {
  const hall: MemoryHall = new Set();
  const clock = createMovableClock();
  const heard: [string, Hint][] = [];
  const open = async (hubInstanceId: string): Promise<Bus> => {
    const bus = await openBus({ adapter: createMemoryAdapter({ hall }), hubInstanceId, clock, log });
    bus.onHint((hint) => heard.push([hubInstanceId, hint]));
    return bus;
  };
  const [first, second] = [await open("first"), await open("second")];
  return {
    first,
    second,
    clock,
    heard,
    async [Symbol.asyncDispose]() {
      await first[Symbol.asyncDispose]();
      await second[Symbol.asyncDispose]();
    },
  };
}

/** Lets everything run that waits for nothing but its turn. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
