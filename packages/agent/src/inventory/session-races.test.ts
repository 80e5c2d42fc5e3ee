// Orders of things that chance seldom brings about.
import { expect, test } from "vitest";
import { World } from "./world.fixture.ts";

const things = "things-0.example";

/** Two objects whose bodies found no room, and a fetch of both that has answered the first. */
async function halfFetched(): Promise<World> {
  const world = new World({ kinds: 1, maxHeldBytes: 600, maxUnackedBytes: 100_000 });
  await world.settle();
  for (const number of [0, 1]) {
    world.apply(0, number, 700);
    await world.observe(0);
  }
  expect(world.session?.pending().changes).toBe(2);
  world.fetch(true);
  expect(world.local.fetchedObjects).toBe(1);
  return world;
}

test("a fetch that answers with what has changed since isn't believed", async () => {
  const world = await halfFetched();
  world.talk();
  world.apply(0, 1);
  await world.observe(0);
  world.fetch(true);
  await world.settle();
  expect(world.store.versions()).toEqual(world.truth());
});

test("a fetch for a call that is over isn't believed", async () => {
  const world = await halfFetched();
  world.cut();
  world.apply(0, 1);
  await world.observe(0);
  world.connect();
  world.talk();
  world.fetch(true);
  await world.settle();
  expect(world.store.versions()).toEqual(world.truth());
});

test("a fetch for a kind that went and came back isn't believed", async () => {
  const world = await halfFetched();
  world.setObserved(0, false);
  world.setObserved(0, true);
  await world.settle();
  expect(world.store.versions()).toEqual(world.truth());
});

test("a change while digests are on their way is sent, though its bucket was equal", async () => {
  const world = new World({ kinds: 1, maxUnackedBytes: 100_000 });
  for (let number = 0; number < 400; number++) world.apply(0, number);
  await world.settle();
  world.cut();
  world.apply(0, 5);
  await world.observe(0);
  world.connect();
  const isComparing = (): boolean =>
    world.toHub.some(({ message }) => message?.case === "compare" && (message.value.bucketCount ?? 0) > 1);
  while (!isComparing()) if (!world.agentSends() && !world.hubTakes()) world.agentTakes();
  for (const number of [5, 100, 200, 300]) {
    world.apply(0, number);
    await world.observe(0);
  }
  await world.settle();
  expect(world.store.versions()).toEqual(world.truth());
});

test("an acknowledgement for a kind that went doesn't bring it back", async () => {
  const world = new World({ kinds: 1, maxUnackedBytes: 100_000 });
  for (let number = 0; number < 10; number++) world.apply(0, number);
  await world.settle();
  world.apply(0, 1);
  await world.observe(0);
  while (world.agentSends());
  while (world.hubTakes());
  world.setObserved(0, false);
  world.talk();
  expect(world.store.kinds.has(things)).toBe(false);
});

test("what was on its way for a kind that went takes no room afterwards", async () => {
  const world = new World({ kinds: 1, maxUnackedBytes: 100_000 });
  for (let number = 0; number < 10; number++) world.apply(0, number);
  await world.settle();
  world.apply(0, 1);
  await world.observe(0);
  while (world.agentSends());
  world.setObserved(0, false);
  world.cut();
  expect(world.local.bodies.heldBytes).toBe(0);
});
