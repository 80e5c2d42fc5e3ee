import { expect, test } from "vitest";
import { ReplicaWorld } from "./replica-world.fixture.ts";

test("a source that has just started, and has listed nothing, deletes nothing at the target", () => {
  const world = filledWorld(["a", "b"]);
  world.restartSource();
  world.connect();
  world.move(50);
  expect(world.source.status().state).toBe("listing");
  expect([...world.store.keys()]).toEqual(["a", "b"]);
});

test("an object that a listing lacks is deleted only after a look for it", () => {
  const world = filledWorld(["a", "b"]);
  world.editUnseen("a", undefined);
  world.list();
  world.move(50);
  expect([...world.store.keys()]).toEqual(["a", "b"]);
  expect(world.source.status().unsure).toEqual(["a"]);
  world.look();
  world.settle();
  expect([...world.store.keys()]).toEqual(["b"]);
});

test("what was deleted while the target was away goes when it is back, also after the source's restart", () => {
  const world = filledWorld(["a", "b", "c"]);
  world.cut();
  world.remove("a");
  world.restartSource();
  world.remove("b");
  world.settle();
  expect([...world.store.keys()]).toEqual(["c"]);
});

test("after a restart of either side what is alike isn't sent again, and what isn't is sent once", () => {
  const world = filledWorld(Array.from({ length: 20 }, (_, index) => `n${index}`));
  const sent = world.entriesSent;
  world.restartSource();
  world.settle();
  world.restartTarget({ writesGoOn: true });
  world.settle();
  expect(world.entriesSent).toBe(sent);
  world.cut();
  world.edit("n7", "changed");
  world.restartSource();
  world.settle();
  expect(world.entriesSent - sent).toBe(1);
  expect(world.contents().get("n7")).toBe("changed");
});

test("of many edits while the target is away only the newest is written", () => {
  const world = filledWorld(["a"]);
  world.cut();
  for (const text of ["1", "2", "3"]) world.edit("a", text);
  const { writes } = world;
  world.settle();
  expect(world.contents().get("a")).toBe("3");
  expect(world.writes - writes).toBe(1);
});

test("what it keeps doesn't grow with what comes and goes while the target is away", () => {
  const world = filledWorld(["a"]);
  world.cut();
  for (let made = 0; made < 1_000; made++) {
    world.edit(`n${made}`, "x");
    world.remove(`n${made}`);
  }
  expect(world.source.status()).toMatchObject({ objects: 1, dirty: 0 });
});

test("an object that is refused holds no other up, is said with its reason, and is tried again", () => {
  const world = filledWorld([]);
  world.refusing.add("a");
  for (const uid of ["a", "b", "c"]) world.edit(uid, "x");
  play(world);
  expect([...world.store.keys()].toSorted()).toEqual(["b", "c"]);
  expect(world.source.status().refused).toMatchObject([{ uid: "a", reason: "webhook", message: "no" }]);
  expect([world.answers.get("a"), world.answers.get("b")]).toEqual(["webhook", "taken"]);
  world.refusing.clear();
  world.nowMs += 400_000;
  play(world);
  expect([...world.store.keys()].toSorted()).toEqual(["a", "b", "c"]);
  expect(world.answers.get("a")).toBe("taken");
});

test("a source that has just started is told of what the target has already, too", () => {
  const world = filledWorld(["a"]);
  world.answers.clear();
  world.restartSource();
  world.settle();
  expect([...world.answers]).toEqual([["a", "taken"]]);
});

test("an object that is too large is refused on its own side, and sent when it has shrunk", () => {
  const world = filledWorld([]);
  world.edit("a", "x".repeat(201));
  world.edit("b", "x");
  play(world);
  expect([...world.store.keys()]).toEqual(["b"]);
  expect(world.source.status().refused).toMatchObject([{ uid: "a", reason: "too-large" }]);
  expect(world.answers.get("a")).toBe("too-large");
  world.edit("a", "x");
  play(world);
  expect(world.contents().get("a")).toBe("x");
});

function filledWorld(uids: readonly string[]): ReplicaWorld {
  const world = new ReplicaWorld();
  for (const uid of uids) world.edit(uid, uid);
  world.settle();
  return world;
}

function play(world: ReplicaWorld): void {
  for (let round = 0; round < 10; round++) {
    world.move(10);
    for (let at = 0; at < 10; at++) world.finishWrite(at);
  }
}
