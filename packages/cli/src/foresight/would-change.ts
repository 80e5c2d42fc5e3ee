// Whether a plan would change anything, by what agents tell of the four kinds of runs. Pure.
import { Fields } from "@fairlead/kernel";

/** True unless the plan is known to change nothing: a text of another version counts as a change. */
export function wouldChange(plan: unknown): boolean {
  const fields = new Fields(plan);
  if (Array.isArray(fields.at("steps").raw)) return fields.at("steps").list().some(isStepChange);
  if (Array.isArray(fields.at("resources").raw)) return isTofuChange(fields);
  if (!Array.isArray(fields.at("objects").raw)) return true;
  return [...fields.at("objects").list(), ...fields.at("crds").list()].some(isObjectChange) || isReleaseChange(fields);
}

/** A step that uses outputs of others is known only when these have run. */
function isStepChange(step: Fields): boolean {
  return !(step.at("known").isTrue && step.at("isEmpty").isTrue);
}

function isTofuChange(plan: Fields): boolean {
  const drifted = plan.at("drifted").boolean();
  if (drifted !== undefined) return drifted;
  if (plan.at("omitted").exists) return true;
  if (plan.at("action").text() === "refresh" && plan.at("drift").list().length > 0) return true;
  return plan.at("outputs").list().length > 0 || plan.at("resources").list().some(isResourceChange);
}

/** Data sources are read by each plan. */
function isResourceChange(resource: Fields): boolean {
  return resource.at("did").text() !== "read";
}

function isObjectChange(object: Fields): boolean {
  return !["unchanged", "kept"].includes(object.at("did").text() ?? "");
}

/** A release is changed by hooks, by a revision to go back to, by another version of its chart, and by its first revision. */
function isReleaseChange(plan: Fields): boolean {
  if (plan.at("release").text() === undefined) return false;
  if (plan.at("hooks").list().length > 0 || plan.at("to").exists) return true;
  if (!plan.at("chart").exists) return false;
  const [from, now] = [plan.at("from", "chart"), plan.at("chart")];
  const isSame = ["name", "version"].every((field) => from.at(field).text() === now.at(field).text());
  const isNext = plan.at("revision").number() === (plan.at("from", "revision").number() ?? Number.NaN) + 1;
  return !isSame || !isNext;
}
