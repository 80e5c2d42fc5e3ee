// A proposal's plan that read Secrets. A value that was read and changed (split, in upper case, hashed) can't be masked, so
// the proposer, who may not read those Secrets, sees which objects change, and no field of them. Pure.
import type { PlanResult } from "../types.ts";

export function withhold(plan: PlanResult): PlanResult {
  return { ...plan, json: { ...(withoutFields(plan.json) as object), withheld: true, withheldBecause } };
}

function withoutFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutFields);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(([name]) => !fields.has(name));
  return Object.fromEntries(kept.map(([name, member]) => [name, withoutFields(member)]));
}

/** Messages of API servers repeat values. */
const fields: ReadonlySet<string> = new Set(["changes", "object", "message", "lack"]);
const withheldBecause =
  "The command is a proposal, and planning it read Secrets: the plan names objects, and shows none of their fields.";
