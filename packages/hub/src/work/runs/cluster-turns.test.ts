import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import { createClusterTurns } from "./cluster-turns.ts";

it("lets a cluster wait with a few pieces, refuses more, and lets others go on meanwhile", async () => {
  const turns = createClusterTurns({ clock: createMovableClock(), bytesPerSecond: 1_000 });
  const held = Promise.withResolvers<void>();
  const begun: string[] = [];
  const run = (cluster: string, until: Promise<void>) =>
    turns.run(cluster, () => {
      begun.push(cluster);
      return until;
    });
  const greedy = Array.from({ length: 12 }, () => run("greedy", held.promise));
  const refused = greedy.slice(8).map((one) => expect(one).rejects.toMatchObject({ code: "COMMAND_LOG_BUSY" }));
  await Promise.all(refused);
  await run("modest", Promise.resolve());
  expect(begun).toEqual(["greedy", "modest"]);
  held.resolve();
  await Promise.all(greedy.slice(0, 8));
  expect(begun.length).toBe(9);
});

it("does a few pieces of all clusters at once", async () => {
  const turns = createClusterTurns({ clock: createMovableClock(), bytesPerSecond: 1_000 });
  let [running, most] = [0, 0];
  const work = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
  };
  await Promise.all(Array.from({ length: 40 }, (_, index) => turns.run(`c${index % 10}`, work).catch(() => undefined)));
  expect([running, most]).toEqual([0, 3]);
});

it("asks for a wait until the rate is kept again", () => {
  const clock = createMovableClock();
  const turns = createClusterTurns({ clock, bytesPerSecond: 1_000 });
  void turns.run("east", async () => undefined);
  expect(turns.pace("east", 900)).toBe(0);
  expect(turns.pace("east", 1_100)).toBe(1_000);
  clock.move(2_000);
  expect(turns.pace("east", 100)).toBe(0);
});
