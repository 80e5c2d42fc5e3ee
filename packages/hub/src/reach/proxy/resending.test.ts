import { resetCodes } from "@fairlead/protocol";
import { expect, it } from "vitest";
import { createResending } from "./resending.ts";

const { goingAway, linkLost, refused, deadline } = resetCodes;

it("sends a read again at once when its link was lost, but not a second time", () => {
  const resending = createResending({ isReading: true });
  expect([resending.next(linkLost), resending.next(linkLost)]).toEqual([0, undefined]);
});

it("gives hubs a moment to hear where a link has gone, and up in the end", () => {
  const resending = createResending({ isReading: true });
  const codes = [goingAway, goingAway, refused, linkLost, goingAway, goingAway];
  expect(codes.map((code) => resending.next(code))).toEqual([0, 100, 300, 0, 600, undefined]);
});

it("sends nothing again that changes something, or that failed for another reason", () => {
  expect(createResending({ isReading: false }).next(goingAway)).toBeUndefined();
  expect(createResending({ isReading: true }).next(deadline)).toBeUndefined();
});
