import { Fields } from "@fairlead/kernel";

/** The two groups have the same events under other names of their fields. */
export function isEventKind(kind: string): boolean {
  return eventKinds.includes(kind);
}

export const eventKinds: readonly string[] = ["events", "events.events.k8s.io"];

/** When what an event tells of happened last, as the event says. Undefined where it says nothing that is a time. */
export function readEventMs(event: unknown): number | undefined {
  const fields = new Fields(event);
  for (const path of times) {
    const ms = Date.parse(fields.at(...path).text() ?? "");
    if (!Number.isNaN(ms)) return ms;
  }
  return undefined;
}

/** The first one that is there counts: the latest count of a series is newer than what it began with. */
const times: readonly (readonly string[])[] = [
  ["series", "lastObservedTime"],
  ["lastTimestamp"],
  ["deprecatedLastTimestamp"],
  ["eventTime"],
  ["firstTimestamp"],
  ["deprecatedFirstTimestamp"],
  ["metadata", "creationTimestamp"],
];
