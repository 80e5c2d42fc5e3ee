import { expect, it } from "vitest";
import { type Era, firstEra, nextEra } from "./era.ts";

const seen = { history: "1-7-00000001", server: "100", values: new Map([["access", "50"]]) };

it.each([
  ["the same again", {}, "none"],
  ["a higher counter", { values: new Map([["access", "51"]]) }, "none"],
  ["a topic that nobody followed before", { values: new Map([["hubs", undefined]]) }, "none"],
  ["a server that doesn't say its history just now", { history: undefined }, "none"],
  ["the server started again", { server: "200" }, "restarted"],
  ["a lower counter", { values: new Map([["access", "49"]]) }, "went-back"],
  ["a counter that isn't there any more", { values: new Map([["access", undefined]]) }, "went-back"],
  ["a standby that took over, whatever the counters", { history: "1-7-00000002", server: "200" }, "went-back"],
  ["tables that were made anew", { history: "1-8-00000001" }, "went-back"],
] as const)("%s", (_, now, change) => {
  const { era, change: found } = nextEra(begin(), { ...seen, ...now });
  expect([found, era.number]).toEqual([change, change === "none" ? 0 : 1]);
  expect(nextEra(era, { ...seen, ...now }).change).toBe("none");
});

it("goes on from a history that it knows, while a server doesn't say", () => {
  const { era } = nextEra(begin(), { ...seen, history: undefined });
  expect(nextEra(era, { ...seen, history: "1-7-00000002" }).change).toBe("went-back");
});

function begin(): Era {
  return nextEra(firstEra, seen).era;
}
