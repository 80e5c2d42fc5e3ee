// Verdicts that were made with something else than what is asked for now: they say nothing of it, neither well nor ill.
import type { CheckFields } from "./check-fields.ts";
import type { Findings } from "./read-examinations.ts";

/** What was found out, without what was judged by another generation of the profile. */
export function unjudgeFindings(found: Findings): Findings {
  const { verdicts, addons, features } = found;
  const all = verdicts.pass + verdicts.warn + verdicts.fail + verdicts.unknown;
  return {
    ...found,
    fitness: "unknown",
    verdicts: { pass: 0, warn: 0, fail: 0, unknown: all },
    addons: addons.map((addon) => ({ ...addon, state: "unknown" })),
    features: features.map(({ id }) => ({ id, state: "unknown" })),
  };
}

export function unjudgeCheck(check: CheckFields, why: string): CheckFields {
  return { ...check, verdict: "unknown", message: why, fix: null };
}
