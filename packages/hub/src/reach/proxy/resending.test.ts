import { createMovableClock } from "@fairlead/kernel/testing";
import { resetCodes } from "@fairlead/protocol";
import { expect, it } from "vitest";
import { createResending, type RequestKind } from "./resending.ts";

const { goingAway, linkLost, refused, deadline } = resetCodes;

it("sends a read again at once when its link was lost, but not a second time", () => {
  const resending = create("reading");
  expect([resending.next(linkLost), resending.next(linkLost)]).toEqual([0, undefined]);
});

it("gives hubs a moment to hear where a link has gone", () => {
  const resending = create("reading");
  const codes = [goingAway, goingAway, linkLost, goingAway, goingAway, goingAway];
  expect(codes.map((code) => resending.next(code))).toEqual([0, 100, 0, 300, 600, 1_000]);
});

it("gives up when whoever it comes to is leaving for too long", () => {
  const clock = createMovableClock(0);
  const resending = createResending({ kind: "changing", patienceMs: 3_000, clock });
  expect(resending.next(goingAway)).toBe(0);
  clock.move(2_900);
  expect(resending.next(goingAway)).toBe(100);
  clock.move(100);
  expect(resending.next(goingAway)).toBeUndefined();
});

it("sends a read again a few times when it is refused", () => {
  const resending = create("reading");
  const waits = Array.from({ length: 5 }, () => resending.next(refused));
  expect(waits).toEqual([0, 100, 300, 600, undefined]);
});

it("sends a change again only when nothing of it was begun", () => {
  expect(create("changing").next(goingAway)).toBe(0);
  for (const code of [linkLost, refused, deadline]) expect(create("changing").next(code)).toBeUndefined();
});

it("sends nothing again whose body is gone, or that failed for another reason", () => {
  expect(create("uploading").next(goingAway)).toBeUndefined();
  expect(create("reading").next(deadline)).toBeUndefined();
});

function create(kind: RequestKind) {
  return createResending({ kind, patienceMs: 10_000, clock: createMovableClock(0) });
}
