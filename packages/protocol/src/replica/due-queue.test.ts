import fc from "fast-check";
import { expect, test } from "vitest";
import { DueQueue } from "./due-queue.ts";

test("gives each id once it is due, the first due first, with the time that it was given last", () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant("set" as const), id: fc.constantFrom(..."abcdefgh"), atMs: fc.nat(50) }),
    fc.record({ type: fc.constant("delete" as const), id: fc.constantFrom(..."abcdefgh") }),
    fc.record({ type: fc.constant("take" as const), nowMs: fc.nat(50) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const queue = new DueQueue();
      const model = new Map<string, number>();
      for (const one of steps) {
        if (one.type === "set") {
          queue.set(one.id, one.atMs);
          model.set(one.id, one.atMs);
        } else if (one.type === "delete") {
          queue.delete(one.id);
          model.delete(one.id);
        } else {
          const due = [...model].filter(([, atMs]) => atMs <= one.nowMs);
          const firstAtMs = Math.min(...due.map(([, atMs]) => atMs));
          const taken = queue.take(one.nowMs);
          if (taken === undefined) expect(due).toEqual([]);
          else expect(model.get(taken)).toBe(firstAtMs);
          model.delete(taken ?? "");
        }
        expect(queue.size).toBe(model.size);
        expect(queue.nextAtMs()).toBe(model.size === 0 ? undefined : Math.min(...model.values()));
      }
    }),
  );
});
