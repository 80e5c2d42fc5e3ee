import { expect, test } from "vitest";
import { readEventMs } from "./event-time.ts";

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const all = {
  series: { lastObservedTime: "2026-01-01T00:00:06.000000Z" },
  lastTimestamp: at(5),
  eventTime: "2026-01-01T00:00:04.500000Z",
  firstTimestamp: at(3),
  metadata: { creationTimestamp: at(2) },
};
const { series: _series, ...withoutSeries } = all;

test.each([
  ["the last one of its series", all, 6],
  ["when it was seen last", withoutSeries, 5],
  ["its own moment", { ...withoutSeries, lastTimestamp: null }, 4.5],
  ["when it was seen first", { ...withoutSeries, lastTimestamp: null, eventTime: null }, 3],
  ["its creation", { metadata: all.metadata }, 2],
  ["when it was seen last, by its other name", { deprecatedLastTimestamp: at(5), eventTime: at(4) }, 5],
  ["when it was seen first, by its other name", { deprecatedFirstTimestamp: at(3), metadata: all.metadata }, 3],
  ["the next time where one can't be read", { ...all, series: { lastObservedTime: "soon" } }, 5],
])("the time of an event is %s", (_name, event, second) => {
  expect(readEventMs(event)).toBe(Date.UTC(2026, 0, 1) + second * 1000);
});

test.each([{}, null, "event", { metadata: { creationTimestamp: 5 } }, { series: [], lastTimestamp: {} }])(
  "%j says no time",
  (event) => {
    expect(readEventMs(event)).toBeUndefined();
  },
);
