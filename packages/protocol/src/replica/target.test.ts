import { expect, test } from "vitest";
import { ReplicaWorld } from "./replica-world.fixture.ts";
import { ReplicaTarget } from "./target.ts";

test("an edit at the target is put back, also while the source is away", () => {
  const world = filledWorld();
  world.cut();
  world.meddle("a", "meddled");
  world.finishWrite(0);
  expect(world.contents().get("a")).toBe("truth");
});

test("an object that is deleted at the target is made again", () => {
  const world = filledWorld();
  world.meddle("a", undefined);
  world.finishWrite(0);
  expect(world.contents().get("a")).toBe("truth");
});

test("who fights over an object meets longer and longer waits", () => {
  const world = filledWorld();
  const { writes } = world;
  for (let round = 0; round < 1_000; round++) {
    world.meddle("a", `meddled ${round}`);
    world.nowMs += 10;
    world.target.take();
    world.finishWrite(0);
  }
  expect(world.writes - writes).toBeGreaterThan(1);
  expect(world.writes - writes).toBeLessThan(8);
});

test("it answers no comparison before it has read its store", () => {
  const target = new ReplicaTarget({
    apply: () => undefined,
    onWork: () => undefined,
    now: () => 0,
    keepsContent: true,
  });
  target.connect();
  target.receive({ type: "compare", comparison: 1, bucketCount: 1 });
  expect(target.take()).toBeUndefined();
  target.hold({ uid: "a", version: 5n, name: "a" }, 1n);
  target.loaded();
  expect(target.take()).toMatchObject({ type: "digests", comparison: 1 });
});

test("a question that comes while a change is being applied is asked when that one is committed or refused", () => {
  for (const end of ["committed", "refused"] as const) {
    const target = new ReplicaTarget({
      apply: () => undefined,
      onWork: () => undefined,
      now: () => 0,
      keepsContent: false,
    });
    target.connect();
    target.receive({ type: "entry", uid: "a", generation: 1, version: 5n, name: "a", contentJson: Buffer.from("x") });
    target.ask("a", "a");
    expect(target.take()).toBeUndefined();
    if (end === "committed") target.committed("a", 1n);
    else target.refused("a", { reason: "unavailable", message: "", retryAfterMs: 0 });
    const told = [target.take(), target.take(), target.take()];
    const answer = end === "committed" ? "acknowledgement" : "refusal";
    expect(told.map((message) => message?.type)).toEqual([answer, "question", undefined]);
  }
});

test("an object that a lost write brought is asked about when it appears", () => {
  const world = filledWorld();
  world.store.set("lost", { text: "x", committed: 5n, written: 6n });
  world.target.hold({ uid: "lost", version: 5n, name: "lost" }, 6n);
  world.settle();
  expect([...world.store.keys()]).toEqual(["a"]);
});

test("an edit that falls between a write and its answer is put back", () => {
  const applied: boolean[] = [];
  const target = new ReplicaTarget({
    apply: ({ isRepair }) => applied.push(isRepair),
    onWork: () => undefined,
    now: () => 1_000,
    keepsContent: true,
  });
  target.connect();
  target.loaded();
  target.receive({ type: "entry", uid: "a", generation: 1, version: 5n, name: "a", contentJson: Buffer.from("x") });
  target.observe("a", 9n);
  target.committed("a", 1n);
  expect(applied).toEqual([false, true]);
});

function filledWorld(): ReplicaWorld {
  const world = new ReplicaWorld();
  world.edit("a", "truth");
  world.settle();
  return world;
}
