import { expect, it } from "vitest";
import { createWaitingRoom } from "./waiting-room.ts";

it("gives networks turns in equal parts, however many of one wait, and the newest of each its turn first", () => {
  const draws = [0, 0.99, 0, 0.99, 0, 0];
  const room = createWaitingRoom<{ name: string; network: string }>({ random: () => draws.shift() ?? 0 });
  for (const name of ["a1", "a2", "a3", "a4"]) room.enter({ name, network: "a" });
  room.enter({ name: "b1", network: "b" });
  const left = { name: "b2", network: "b" };
  room.enter(left);
  room.leave(left);
  const taken = Array.from({ length: 5 }, () => room.takeOne()?.name);
  expect(taken).toEqual(["a4", "b1", "a3", "a2", "a1"]);
  expect(room.takeOne()).toBeUndefined();
});

it("forgets a network that nobody waits of", () => {
  const room = createWaitingRoom<{ network: number }>({ random: () => 0 });
  const all = Array.from({ length: 100 }, (_, network) => ({ network }));
  for (const one of all) room.enter(one);
  for (const one of all) room.leave(one);
  expect(room.takeOne()).toBeUndefined();
  const again = { network: 7 };
  room.enter(again);
  expect(room.takeOne()).toBe(again);
});
