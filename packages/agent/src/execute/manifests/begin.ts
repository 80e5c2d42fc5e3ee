// Run and plan both begin here: everything is read, and nothing is changed.
import type { Task } from "../types.ts";
import type { InventoryEntry } from "./inventory/inventory.ts";
import { InventoryStore } from "./inventory/inventory-store.ts";
import { KindCatalogue } from "./kinds/catalogue.ts";
import { prepareTargets } from "./prepare/prepare-targets.ts";
import type { Problem, Target } from "./prepare/target.ts";
import { readSurvey, type Survey } from "./survey/survey.ts";
import { takeSurvey } from "./survey/take-survey.ts";
import type { ManifestsSpec, ObjectName } from "./types.ts";

export interface Begun {
  readonly catalogue: KindCatalogue;
  readonly store: InventoryStore;
  readonly known: readonly InventoryEntry[];
  readonly targets: readonly Target[];
  readonly problems: readonly Problem[];
  readonly survey: Survey;
  /** A run of the same command died, and may have changed something. */
  readonly isResumed: boolean;
}

export async function begin(task: Task<ManifestsSpec>): Promise<Begun> {
  const catalogue = new KindCatalogue(task);
  const store = new InventoryStore(task);
  const [known, { targets, problems }] = await Promise.all([store.read(), prepareTargets({ task, catalogue })]);
  const begun = { catalogue, store, known, targets };
  const remembered = readSurvey(task.state.read());
  if (remembered) return { ...begun, problems, survey: remembered, isResumed: true };
  const surveyed = await takeSurvey({ task, catalogue, targets, inventory: known });
  return { ...begun, problems: [...problems, ...surveyed.problems], survey: surveyed.survey, isResumed: false };
}

/** The namespace that the command makes for the set. It is no object of the set: it is never pruned. */
export function madeNamespace(
  { spec }: Pick<Task<ManifestsSpec>, "spec">,
  { makesNamespace }: Pick<Survey, "makesNamespace">,
): readonly ObjectName[] {
  return makesNamespace ? [{ apiVersion: "v1", kind: "Namespace", name: spec.namespace }] : [];
}
