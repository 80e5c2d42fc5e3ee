import { expect, test } from "vitest";
import type { PlainChange } from "./messages.ts";
import { World, type WorldOptions } from "./world.fixture.ts";

const things = "things-0.example";

async function settled(objects: number, options: WorldOptions = {}): Promise<World> {
  const world = new World({ kinds: 2, maxUnackedBytes: 100_000, ...options });
  for (let number = 0; number < objects; number++) world.apply(0, number);
  await world.settle();
  return world;
}

function batches(world: World): PlainChange[][] {
  return world.toHub.flatMap(({ message }) =>
    message?.case === "batch" ? [message.value.changes as PlainChange[]] : [],
  );
}

function bytesOf(changes: readonly PlainChange[]): number {
  return changes.reduce((sum, { objectJson }) => sum + objectJson.byteLength, 0);
}

test("an agent that restarts sends no object that the hub has", async () => {
  const world = await settled(500);
  world.restartAgent();
  world.apply(0, 7);
  world.delete(0, 8);
  await world.settle();
  expect(world.session?.sent.changes).toBe(2);
  expect(world.store.versions()).toEqual(world.truth());
});

test("a hub that lost its store gets all, and of another kind nothing twice", async () => {
  const world = await settled(300);
  world.cut();
  world.store.objects.delete(things);
  await world.settle();
  expect(world.session?.sent.changes).toBe(300);
  expect(world.store.versions()).toEqual(world.truth());
});

test("a list that is under way when a call begins costs the hub no object", async () => {
  const world = await settled(300);
  world.cut();
  world.relist(0);
  await world.observe(0);
  world.connect();
  world.talk();
  expect(world.store.ofKind(things).size).toBe(300);
  expect(world.store.kinds.get(things)?.state).toBe("listing");
  await world.settle();
  expect(world.session?.sent.changes).toBe(0);
});

test("a kind that can't be listed after a restart keeps its objects on the hub, and is said to be unknown", async () => {
  const world = await settled(300);
  world.restartAgent();
  world.unavailable(0);
  world.connect();
  world.talk();
  expect(world.store.kinds.get(things)).toEqual({ state: "unavailable", code: "KUBE_FORBIDDEN" });
  expect(world.store.ofKind(things).size).toBe(300);
  await world.settle();
  expect(world.store.kinds.get(things)?.state).toBe("synced");
});

test("a kind that isn't observed any more since a restart is forgotten by the hub", async () => {
  const world = await settled(10);
  world.kind(0).isObserved = false;
  world.restartAgent();
  await world.settle();
  expect([...world.store.objects.keys()]).toEqual(["things-1.example"]);
});

test("a kind that goes and comes back between two messages is compared anew", async () => {
  const world = await settled(10);
  world.setObserved(0, false);
  world.setObserved(0, true);
  await world.settle();
  expect(world.store.versions()).toEqual(world.truth());
});

test("a kind's objects that the hub lost without a word are found out and sent again", async () => {
  const world = await settled(300);
  const [lost] = world.store.ofKind(things).keys();
  world.store.ofKind(things).delete(lost as string);
  world.session?.verify();
  await world.settle();
  expect(world.drifts).toEqual([things]);
  expect(world.session?.sent.changes).toBe(301);
  expect(world.store.versions()).toEqual(world.truth());
});

test("a kind that is being changed is verified when it is quiet for a moment", async () => {
  const world = await settled(300);
  const [lost] = world.store.ofKind(things).keys();
  world.store.ofKind(things).delete(lost as string);
  world.apply(0, 200);
  await world.observe(0);
  world.session?.verify();
  await world.settle();
  expect(world.drifts).toEqual([things]);
  expect(world.store.versions()).toEqual(world.truth());
});

test("no more goes without an acknowledgement than the hub allows, but for one object that is larger", async () => {
  const world = await settled(0, { maxUnackedBytes: 3_000 });
  for (let number = 0; number < 100; number++) world.apply(0, number);
  world.apply(1, 1, 10_000);
  while ((await world.observe(0)) || (await world.observe(1)));
  const sizes: number[] = [];
  do {
    while (world.agentSends());
    sizes.push(batches(world).reduce((sum, changes) => sum + bytesOf(changes), 0));
    for (const changes of batches(world)) if (bytesOf(changes) > 3_000) expect(changes).toHaveLength(1);
    while (world.hubTakes());
    while (world.agentTakes());
  } while (sizes.at(-1) !== 0);
  expect(Math.max(...sizes)).toBeGreaterThan(10_000);
  expect(sizes.filter((size) => size > 3_000)).toHaveLength(1);
  expect(world.store.versions()).toEqual(world.truth());
});

test("changes of one object coalesce while the hub is busy, and the newest wins", async () => {
  const world = await settled(1, { maxUnackedBytes: 200 });
  for (let change = 0; change < 50; change++) {
    world.apply(0, 0);
    await world.observe(0);
    world.agentSends();
  }
  await world.settle();
  expect(world.session?.sent.changes).toBeLessThan(10);
  expect(world.store.versions()).toEqual(world.truth());
});

test("a kind with much to send doesn't hold up another one", async () => {
  const world = await settled(0, { maxUnackedBytes: 1_000_000, maxHeldBytes: 10_000_000 });
  for (let number = 0; number < 2_000; number++) world.apply(0, number);
  while (await world.observe(0));
  world.apply(1, 1);
  await world.observe(1);
  world.agentSends();
  const [first] = batches(world);
  expect(first?.some(({ uid }) => uid === "uid-1-1")).toBe(true);
});

test("a copy isn't said to be newer than the oldest change that it lacks", async () => {
  const world = await settled(10);
  world.apply(0, 1);
  await world.observe(0);
  world.nowMs += 4_000;
  world.local.onAlive(things);
  world.local.onAlive("things-1.example");
  world.nowMs += 1_000;
  world.session?.aliveDue();
  while (world.agentSends());
  while (world.hubTakes());
  const ages = world.call?.alive?.ages.map(({ kind, verifiedMsAgo }) => [world.call?.keyOf(kind), verifiedMsAgo]);
  expect(ages).toEqual([
    [things, 5_000],
    ["things-1.example", 1_000],
  ]);
  expect(world.call?.alive).toMatchObject({ pendingChanges: 1, oldestPendingMs: 5_000 });
});

test("what was on its way when the call broke isn't fetched again", async () => {
  const world = await settled(10);
  world.apply(0, 1);
  await world.observe(0);
  while (world.agentSends());
  world.cut();
  world.connect();
  world.talk();
  expect(world.local.fetchedObjects).toBe(0);
  expect(world.store.versions()).toEqual(world.truth());
});
