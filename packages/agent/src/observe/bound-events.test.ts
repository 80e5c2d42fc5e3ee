import type { KubeObject } from "@fairlead/kube";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EventBook } from "./bound-events.ts";

test("of one object the newest are kept", () => {
  const cache = new EventBook({ perObject: 2, total: 100 });
  expect(cache.admit(event("a", { atSeconds: 1 }))).toEqual({ isAdmitted: true, evicted: [] });
  expect(cache.admit(event("b", { atSeconds: 2 }))).toEqual({ isAdmitted: true, evicted: [] });
  expect(cache.admit(event("c", { atSeconds: 3 }))).toEqual({ isAdmitted: true, evicted: ["a"] });
  expect(cache.admit(event("old", { atSeconds: 0 }))).toEqual({ isAdmitted: false, evicted: [] });
  expect(cache.admit(event("d", { atSeconds: 0, about: "other" }))).toEqual({ isAdmitted: true, evicted: [] });
});

test("of two events that say the same about an object the newer one is kept", () => {
  const cache = new EventBook({ perObject: 10, total: 100 });
  cache.admit(event("a", { atSeconds: 1, message: "Back-off" }));
  expect(cache.admit(event("b", { atSeconds: 2, message: "Back-off" }))).toEqual({ isAdmitted: true, evicted: ["a"] });
  expect(cache.admit(event("a", { atSeconds: 1, message: "Back-off" }))).toEqual({ isAdmitted: false, evicted: [] });
  expect(cache.admit(event("c", { atSeconds: 1, message: "Back-off", about: "other" })).isAdmitted).toBe(true);
});

test("an event that comes again takes the place of its older state", () => {
  const cache = new EventBook({ perObject: 2, total: 100 });
  cache.admit(event("a", { atSeconds: 1 }));
  cache.admit(event("b", { atSeconds: 2 }));
  expect(cache.admit(event("a", { atSeconds: 3 }))).toEqual({ isAdmitted: true, evicted: [] });
  expect(cache.admit(event("c", { atSeconds: 4 }))).toEqual({ isAdmitted: true, evicted: ["b"] });
  expect(cache.forget("a")).toBe(true);
  expect(cache.forget("a")).toBe(false);
  expect(cache.size).toBe(1);
});

test("events of the newer API are dated by their own fields", () => {
  const cache = new EventBook({ perObject: 1, total: 100 });
  cache.admit({ ...event("a", { atSeconds: 5 }), lastTimestamp: null, eventTime: "2026-01-01T00:00:05.5Z" });
  expect(cache.admit(event("b", { atSeconds: 5 })).isAdmitted).toBe(false);
});

test("whatever comes, what is told of comings and goings is what is in, and the bounds hold", () => {
  const step = fc.record({
    uid: fc.integer({ min: 0, max: 40 }),
    about: fc.integer({ min: 0, max: 5 }),
    message: fc.integer({ min: 0, max: 6 }),
    atSeconds: fc.integer({ min: 0, max: 59 }),
    isDeleted: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const cache = new EventBook({ perObject: 3, total: 10 });
      const told = new Set<string>();
      for (const { uid, about, message, atSeconds, isDeleted } of steps) {
        const name = `e${uid}`;
        if (isDeleted) {
          expect(cache.forget(name)).toBe(told.delete(name));
          continue;
        }
        const of = { about: `o${uid % 2 === 0 ? about : uid}`, message: `m${message}`, atSeconds };
        const { isAdmitted, evicted } = cache.admit(event(name, of));
        for (const gone of evicted) expect(told.delete(gone)).toBe(true);
        if (isAdmitted) told.add(name);
        expect(cache.has(name)).toBe(isAdmitted);
        expect(cache.size).toBe(told.size);
        expect(cache.size).toBeLessThanOrEqual(10);
      }
    }),
  );
});

function event(uid: string, of: { atSeconds: number; about?: string; message?: string }): KubeObject {
  const lastTimestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, of.atSeconds)).toISOString();
  return {
    metadata: { uid, name: uid, namespace: "default", resourceVersion: "1" },
    involvedObject: { kind: "Pod", namespace: "default", name: of.about ?? "web" },
    reason: "Because",
    message: of.message ?? uid,
    lastTimestamp,
  };
}
