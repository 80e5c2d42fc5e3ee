// Golden cases change one value of a fit installation and name the check that notices.
import type { Addon } from "../catalogue/index.ts";
import type { Verdict } from "../checks/index.ts";
import { truefoundry } from "../profiles/index.ts";
import type { AddonReport } from "../report/index.ts";
import type { ClusterObject } from "../snapshot/index.ts";
import { type ExamineAddonOptions, examineAddon } from "./examine-addon.fixture.ts";

/** By the profile that asks for most. */
export function reportOn(
  addon: Addon,
  objects: readonly ClusterObject[],
  options: ExamineAddonOptions = {},
): AddonReport {
  return examineAddon(addon, objects, { profile: truefoundry, ...options });
}

export function verdictOf(
  addon: Addon,
  id: string,
  objects: readonly ClusterObject[],
  options: ExamineAddonOptions = {},
): Verdict {
  const found = reportOn(addon, objects, options).checks.find(({ check }) => check.id === id);
  if (!found) throw new Error(`${id} doesn't apply`);
  return found.verdict;
}

/** Writes into an object that a case changes; `undefined` takes a field away: `spec/template/spec/containers/0/args`. */
export function setAt(object: Record<string, unknown>, path: string, value: unknown): void {
  const steps = path.split("/");
  const last = steps.pop() as string;
  const parent = steps.reduce<Record<string, unknown>>((each, step) => {
    each[step] ??= {};
    return each[step] as Record<string, unknown>;
  }, object);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
}
