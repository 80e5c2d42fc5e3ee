import { expect, test } from "vitest";
import type { Check, Verdict } from "../checks/index.ts";
import { judgeFitness } from "./fitness.ts";
import type { Report } from "./report.ts";

const failing: Verdict = { is: "fail", message: "It isn't.", evidence: [] };
const unclear: Verdict = { is: "unknown", message: "Hidden.", evidence: [] };

test.each<[string, Check["severity"], Verdict, ReturnType<typeof judgeFitness>["is"]]>([
  ["a required check that fails makes it unfit", "required", failing, "unfit"],
  ["a required one that can't be judged leaves it unjudged", "required", unclear, "unjudged"],
  ["an optional one that fails leaves it fit", "optional", failing, "fit"],
  ["an optional one that can't be judged leaves it fit", "optional", unclear, "fit"],
  ["a recommended one that fails leaves it fit", "recommended", failing, "fit"],
])("%s", (_, severity, verdict, expected) => {
  const check = { id: "some.check", title: "It is", why: "", severity, features: [], judge: () => verdict };
  expect(judgeFitness({ ...nothingElse, checks: [{ check, verdict }] }).is).toBe(expected);
});

const nothingElse = { addons: [], features: [], hidden: [] } as unknown as Report;
