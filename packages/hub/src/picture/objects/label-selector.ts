import { type LabelRequirement, parseLabelSelector as parse } from "@fairlead/kernel";
import { selectorInvalid } from "./errors.ts";

/** Throws OBJECTS_SELECTOR_INVALID. */
export function parseLabelSelector(source: string): LabelRequirement[] {
  const requirements = parse(source);
  if (!requirements) throw selectorInvalid(source);
  return requirements;
}
