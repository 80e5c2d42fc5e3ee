import fc from "fast-check";
import { expect, test } from "vitest";
import { World } from "./world.fixture.ts";

const moves = {
  apply: 8,
  delete: 4,
  observe: 20,
  relist: 3,
  repeat: 2,
  unavailable: 2,
  unobserve: 3,
  "observe-again": 2,
  "agent-sends": 14,
  "hub-takes": 14,
  "agent-takes": 14,
  fetch: 4,
  "lose-a-fetch": 1,
  verify: 1,
  connect: 3,
  cut: 2,
  "restart-the-agent": 1,
  "lose-the-store": 1,
  "restore-an-old-store": 2,
  "save-the-store": 2,
  "run-a-while": 10,
  rest: 5,
} as const;
type Move = keyof typeof moves;

const step = fc.record({
  move: fc.oneof(...Object.entries(moves).map(([move, weight]) => ({ weight, arbitrary: fc.constant(move as Move) }))),
  kind: fc.nat(2),
  number: fc.nat(200),
  times: fc.integer({ min: 1, max: 12 }),
});

test("whatever is cut, lost, restarted or repeated on the way, the hub ends with what the cluster has", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 10, maxLength: 80 }),
      fc.nat(700),
      fc.constantFrom(600, 4_000, 1_000_000),
      fc.constantFrom(300, 4_000, 100_000),
      async (steps, objects, maxHeldBytes, maxUnackedBytes) => {
        const world = new World({ maxHeldBytes, maxUnackedBytes });
        for (let number = 0; number < objects; number++) world.apply(number % 3, number >> 1);
        let saved = new Map(world.store.objects);
        for (const { move, kind, number, times } of steps) {
          world.nowMs += 100;
          if (move === "save-the-store") {
            saved = new Map([...world.store.objects].map(([key, held]) => [key, new Map(held)]));
          } else if (move === "restore-an-old-store") {
            world.cut();
            world.store.wipe();
            for (const [key, held] of saved) world.store.objects.set(key, new Map(held));
          } else if (move === "run-a-while") {
            await world.run(number);
          } else if (move === "rest") {
            await world.settle();
            expect(world.store.versions()).toEqual(world.truth());
          } else {
            for (let time = 0; time < times; time++) await make(world, move, kind, number + time);
          }
          await Promise.resolve();
        }
        for (let kind = 0; kind < 3; kind++) world.setObserved(kind, true);
        await world.settle();
        expect(world.store.versions()).toEqual(world.truth());
        expect([...world.store.kinds.values()].map(({ state }) => state)).toEqual(["synced", "synced", "synced"]);
        expect(world.session?.pending().changes).toBe(0);
        expect(world.local.bodies.heldBytes).toBe(0);
      },
    ),
    { numRuns: Number(process.env["FAIRLEAD_PROPERTY_RUNS"] ?? 60) },
  );
});

async function make(world: World, move: Exclude<Move, WholeMove>, kind: number, number: number): Promise<void> {
  switch (move) {
    case "apply":
      return world.apply(kind, number);
    case "delete":
      return world.delete(kind, number);
    case "observe":
      return void (await world.observe(kind));
    case "relist":
      return world.relist(kind);
    case "repeat":
      return world.repeat(kind, number);
    case "unavailable":
      return world.unavailable(kind);
    case "unobserve":
      return world.setObserved(kind, false);
    case "observe-again":
      return world.setObserved(kind, true);
    case "agent-sends":
      return void world.agentSends();
    case "hub-takes":
      return void world.hubTakes();
    case "agent-takes":
      return void world.agentTakes();
    case "fetch":
      return void world.fetch(true);
    case "lose-a-fetch":
      return void world.fetch(false);
    case "verify":
      return world.session?.verify();
    case "connect":
      return world.connect();
    case "cut":
      return world.cut();
    case "restart-the-agent":
      return world.restartAgent();
    case "lose-the-store":
      world.cut();
      return world.store.wipe();
  }
}

/** Moves that look at more than one message or object. */
type WholeMove = "save-the-store" | "restore-an-old-store" | "run-a-while" | "rest";
