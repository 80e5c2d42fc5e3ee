import { expect, it } from "vitest";
import { isDnsLabel, isSystemName } from "./names.ts";

it.each(["system:masters", "system:", "System:masters", "SYSTEM:node:a", " system:masters", "\tsystem:masters"])(
  "%j is the cluster's own",
  (name) => {
    expect(isSystemName(name)).toBe(true);
  },
);

it.each(["", "system", "systems:masters", "my-system:masters", "alice@system:a", "fairlead:viewers"])(
  "%j is not the cluster's own",
  (name) => {
    expect(isSystemName(name)).toBe(false);
  },
);

it.each(["a", "east", "east-1", "1", "a".repeat(63)])("%j is a DNS label", (name) => {
  expect(isDnsLabel(name)).toBe(true);
});

it.each(["", "-a", "a-", "A", "a.b", "a_b", "a\n", "ä", "a".repeat(64)])("%j is no DNS label", (name) => {
  expect(isDnsLabel(name)).toBe(false);
});
