// Verdicts that were made with something else than what is asked for now: they say nothing of it, neither well nor ill.

interface Judged {
  readonly fitness: string;
  readonly verdicts: Readonly<Record<"pass" | "warn" | "fail" | "unknown", number>>;
  readonly addons: readonly { readonly state: string }[];
  readonly features: readonly { readonly state: string }[];
}

/** The same findings, with each verdict unknown. */
export function unjudge<Found extends Judged>(found: Found): Found {
  const { verdicts, addons, features } = found;
  const all = verdicts.pass + verdicts.warn + verdicts.fail + verdicts.unknown;
  return {
    ...found,
    fitness: "unknown",
    verdicts: { pass: 0, warn: 0, fail: 0, unknown: all },
    addons: addons.map((addon) => ({ ...addon, state: "unknown" })),
    features: features.map((feature) => ({ ...feature, state: "unknown" })),
  };
}
