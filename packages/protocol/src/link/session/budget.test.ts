import { expect, it } from "vitest";
import { baseWindowBytes, CreditPool, type StreamHandlers } from "../stream/index.ts";
import { resetCodes } from "../wire/index.ts";
import { createBudgetShare, createLinkBudget } from "./budget.ts";
import { openHead, SessionPair } from "./session-pair.fixture.ts";

it("gives an owner no more than its share, and has all of it back in the end", () => {
  const whole = createLinkBudget({ totalBytes: 1_000 });
  const share = createBudgetShare({ of: whole, mostBytes: 250 });
  expect([share.take(200), share.take(200), whole.grantedBytes]).toEqual([200, 50, 250]);
  expect(createBudgetShare({ of: whole, mostBytes: 1_000 }).take(1_000)).toBe(750);
  expect(share.take(1)).toBe(0);
  share.give(250);
  expect([share.grantedBytes, whole.grantedBytes]).toEqual([0, 750]);
});

it("keeps each owner's floor out of what others can take", () => {
  const whole = createLinkBudget({ totalBytes: 1_000 });
  const [greedy, modest] = [0, 1].map(() => createBudgetShare({ of: whole, mostBytes: 5_000, floorBytes: 100 }));
  expect(greedy?.take(5_000)).toBe(1_100);
  expect(modest?.take(5_000)).toBe(100);
  modest?.give(60);
  expect([modest?.take(100), whole.grantedBytes]).toEqual([60, 1_000]);
  greedy?.give(1_100);
  modest?.give(100);
  expect(whole.grantedBytes).toBe(0);
});

it("gives first windows of an owner's floor when nothing else is left, and nothing more to any window", () => {
  const whole = createLinkBudget({ totalBytes: baseWindowBytes });
  const floorBytes = 2 * baseWindowBytes;
  const pool = new CreditPool(1e9, createBudgetShare({ of: whole, mostBytes: 1e9, floorBytes }));
  expect(whole.take(baseWindowBytes)).toBe(baseWindowBytes);
  expect([pool.takeBase(), pool.takeBase(), pool.takeBase()]).toEqual([true, true, false]);
  expect([pool.takeExtra(100_000), pool.isScarce()]).toEqual([0, true]);
});

it("makes links of an owner keep little when much is kept for it, and those of others only when it is much in all", () => {
  const whole = createLinkBudget({ totalBytes: 1_000 });
  const one = createBudgetShare({ of: whole, mostBytes: 250 });
  const other = createBudgetShare({ of: whole, mostBytes: 250 });
  one.retain(126);
  expect([one.isRetainingMuch, other.isRetainingMuch]).toEqual([true, false]);
  one.retain(400);
  expect(other.isRetainingMuch).toBe(true);
  one.retain(-526);
  expect([one, other, whole].map(({ isRetainingMuch }) => isRetainingMuch)).toEqual([false, false, false]);
});

it("holds each stream's data against the budget of its owner, whatever other owners of the same link have taken", () => {
  const shares = new Map(
    ["east", "west"].map((name) => [
      name,
      createBudgetShare({ of: createLinkBudget({ totalBytes: 1e9 }), mostBytes: 2 * baseWindowBytes }),
    ]),
  );
  const pair = new SessionPair({
    acceptOnAgent: () => silent,
    hubBudgetOf: ({ cluster = "" }) => shares.get(cluster),
  });
  const open = (cluster: string) => pair.hub.session.openStream(openHead({ cluster }), silent);
  open("east");
  open("east");
  expect(() => open("east")).toThrowError(expect.objectContaining({ code: "LINK_OVERLOADED" }));
  const stream = open("west");
  expect([...shares.values()].map(({ grantedBytes }) => grantedBytes)).toEqual([2 * baseWindowBytes, baseWindowBytes]);
  stream.reset(resetCodes.cancelled);
  expect(shares.get("west")?.grantedBytes).toBe(0);
});

const silent: StreamHandlers = { onData() {}, onEnd() {}, onReset() {} };
