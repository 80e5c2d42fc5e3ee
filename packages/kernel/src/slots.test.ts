import { expect, it } from "vitest";
import { Slots } from "./slots.ts";

it("lets the next one in when a place is free, in the order in which they came", async () => {
  const slots = new Slots(1);
  const entered: string[] = [];
  const enter = async (name: string): Promise<() => void> => {
    const leave = await slots.enter();
    entered.push(name);
    return leave;
  };
  const [first, second, third] = ["a", "b", "c"].map(enter);
  const leave = await first;
  expect(entered).toEqual(["a"]);
  leave?.();
  leave?.();
  (await second)?.();
  await third;
  expect(entered).toEqual(["a", "b", "c"]);
});

it("keeps no place for who waits no more", async () => {
  const slots = new Slots(1);
  const leave = await slots.enter();
  const stop = new AbortController();
  const waiting = slots.enter(stop.signal);
  stop.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  leave();
  await slots.enter(new AbortController().signal);
});

it("gives a place that came at the same time as the abort to the next one", async () => {
  const slots = new Slots(1);
  const leave = await slots.enter();
  const stop = new AbortController();
  const waiting = slots.enter(stop.signal);
  const next = slots.enter();
  leave();
  stop.abort(new Error("too late"));
  // The place was given before the abort.
  (await waiting)();
  await next;
});
