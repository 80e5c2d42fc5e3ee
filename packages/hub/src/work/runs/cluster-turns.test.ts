import { createMovableClock } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import { createClusterPace } from "./cluster-pace.ts";
import { createClusterTurns } from "./cluster-turns.ts";
import { runErrors } from "./errors.ts";

const busy = runErrors.COMMAND_LOG_BUSY;

it("lets a cluster wait with a few pieces, refuses more, and lets others go on meanwhile", async () => {
  const turns = createClusterTurns({ ofCluster: 1, ofAll: 3, waiting: 8, busy });
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

it("does a few things of all clusters at once, also when some of them fail", async () => {
  const turns = createClusterTurns({ ofCluster: 2, ofAll: 3, waiting: 8, busy });
  let [running, most] = [0, 0];
  const work = async (): Promise<void> => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setImmediate(resolve));
    running -= 1;
    if (Math.random() < 0.3) throw new Error("failed");
  };
  await Promise.all(Array.from({ length: 40 }, (_, index) => turns.run(`c${index % 10}`, work).catch(() => undefined)));
  expect([running, most]).toEqual([0, 3]);
});

it("asks a cluster for a wait until its rate is kept again, and no other", () => {
  const clock = createMovableClock();
  const pace = createClusterPace({ clock, bytesPerSecond: 1_000 });
  expect(pace.take("east", 900)).toBe(0);
  expect(pace.take("east", 1_100)).toBe(1_000);
  expect(pace.take("west", 900)).toBe(0);
  clock.move(2_000);
  expect(pace.take("east", 100)).toBe(0);
});
