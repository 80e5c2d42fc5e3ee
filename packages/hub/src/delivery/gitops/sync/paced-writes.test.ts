import { expect, test } from "vitest";
import { PacedWrites } from "./paced-writes.ts";

test("a cluster has sixteen writes at a time, and is read on when most are written", async () => {
  const paced = new PacedWrites();
  const waiting: (() => void)[] = [];
  let most = 0;
  const write = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      most = Math.max(most, waiting.length);
    });
  };
  const all = Array.from({ length: 300 }, () => paced.run(write));
  let isRead = false;
  void paced.untilRoom().then(() => {
    isRead = true;
  });
  for (let written = 0; written < 44; written++) await finishOne(waiting);
  expect(isRead).toBe(false);
  for (let written = 44; written < 300; written++) await finishOne(waiting);
  await Promise.all(all);
  expect([most, isRead]).toEqual([16, true]);
});

test("what waits for something else leaves its place to others", async () => {
  const paced = new PacedWrites();
  const made = Promise.withResolvers<void>();
  const done: string[] = [];
  const waiting = Array.from({ length: 20 }, () => paced.run(async () => void done.push("status"), made.promise));
  await paced.run(async () => void done.push("mirror"));
  expect(done).toEqual(["mirror"]);
  made.resolve();
  await Promise.all(waiting);
  expect(done).toHaveLength(21);
});

async function finishOne(waiting: (() => void)[]): Promise<void> {
  while (waiting.length === 0) await Promise.resolve();
  waiting.shift()?.();
  await Promise.resolve();
}
