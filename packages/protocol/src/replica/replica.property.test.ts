// A source and a target through random edits on both sides, cuts, crashes, lost memories and restored stores.
import fc from "fast-check";
import { expect, it } from "vitest";
import { ReplicaWorld } from "./replica-world.fixture.ts";

const uid = fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h");
const text = fc.constantFrom("1", "2", "3");
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant("edit" as const), uid, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("remove" as const), uid }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit unseen" as const), uid, text: fc.option(text) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("meddle" as const), uid, text: fc.option(text) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("move" as const), count: fc.integer({ min: 1, max: 12 }) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("finish" as const), at: fc.nat({ max: 7 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("look" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("list" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("compare" as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cut" as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("connect" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart source" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restart target" as const), writesGoOn: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("back up" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("restore" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("lose the store" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("refuse" as const), uid }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.constantFrom(10, 5_000, 400_000) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

it.each([true, false])("both sides come to be alike and stay so (the target keeps contents: %s)", (keepsContent) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: "max" }), (plan) => {
      const world = new ReplicaWorld({ keepsContent });
      const backup = { store: new Map(world.store) };
      for (const one of plan) run(world, one, backup);
      world.settle();
      expect(world.contents()).toEqual(world.truth);
      expect(world.source.status()).toMatchObject({ state: "open", dirty: 0, unacked: 0, unsure: [], refused: [] });
      expect(world.mostUnacked).toBeLessThanOrEqual(4);
      const { writes } = world;
      world.settle();
      world.cut();
      world.settle();
      expect(world.writes, "nothing is written when nothing differs").toBe(writes);
    }),
    { numRuns: 250 },
  );
});

it("deletes nothing that the source's world has, whatever the source has read of it", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120, size: "max" }), (plan) => {
      const world = new ReplicaWorld();
      const backup = { store: new Map(world.store) };
      for (const one of plan) run(world, one, backup);
      // An object that was never removed must never be deleted.
      const removed: ReadonlySet<string> = new Set(
        plan.flatMap((one) =>
          one.do === "remove" || (one.do === "edit unseen" && one.text === null) ? [one.uid] : [],
        ),
      );
      world.settle();
      expect(world.deletions.filter((deleted) => !removed.has(deleted))).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

it("puts back what was deleted while a later state of it was being refused", () => {
  const world = new ReplicaWorld({ keepsContent: false });
  world.edit("b", "2");
  world.list();
  world.connect();
  world.move(3);
  world.edit("b", "1");
  world.finishWrite(0);
  world.move(2);
  world.meddle("b", undefined);
  world.edit("b", "2");
  world.refusing.add("b");
  world.finishWrite(0);
  world.settle();
  expect(world.contents()).toEqual(world.truth);
});

function run(world: ReplicaWorld, one: Step, backup: { store: ReplicaWorld["store"] }): void {
  switch (one.do) {
    case "edit":
      world.edit(one.uid, one.text);
      break;
    case "remove":
      world.remove(one.uid);
      break;
    case "edit unseen":
      world.editUnseen(one.uid, one.text ?? undefined);
      break;
    case "meddle":
      world.meddle(one.uid, one.text === null ? undefined : `${one.text} meddled`);
      break;
    case "move":
      world.move(one.count);
      break;
    case "finish":
      world.finishWrite(one.at);
      break;
    case "look":
      world.look();
      break;
    case "list":
      world.list();
      break;
    case "compare":
      world.source.compare();
      break;
    case "cut":
      world.cut();
      break;
    case "connect":
      world.connect();
      break;
    case "restart source":
      world.restartSource();
      break;
    case "restart target":
      world.restartTarget({ writesGoOn: one.writesGoOn });
      break;
    case "back up":
      backup.store = new Map(world.store);
      break;
    case "restore":
      world.restoreStore(backup.store);
      break;
    case "lose the store":
      world.restoreStore(new Map());
      break;
    case "refuse":
      world.refusing.add(one.uid);
      break;
    case "wait":
      world.nowMs += one.ms;
      break;
    default:
      one satisfies never;
  }
}
