// A failure says its seed: `npm run chaos -- fuzz --seed N` meets it again, and goes on with more inputs.
import { describe, expect, test } from "vitest";
import { fuzzers } from "./index.ts";

/** The same inputs in each run: a failure is a change of the code's, and none of luck. */
const seed = 1;

describe.each(fuzzers)("$parser", ({ rules }) => {
  test.each(rules)("$name", async (rule) => {
    const { failure } = await rule.try({ seed });
    expect(failure).toBeUndefined();
  });
});
