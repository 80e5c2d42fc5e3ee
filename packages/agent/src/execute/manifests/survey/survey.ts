// The cluster as it was before the run, recorded before anything is changed. A run that goes on after another one died
// takes it from the record: else the dead run's objects would look as if they had been there before.
import type { InventoryEntry } from "../inventory/inventory.ts";
import type { ObjectName } from "../types.ts";

export interface Survey {
  /** An entry for each manifest; without `before` where there was nothing. */
  readonly targets: readonly SurveyedTarget[];
  /** Objects of the inventory that the set doesn't name any more, and that are still there. */
  readonly leftovers: readonly Leftover[];
  readonly makesNamespace: boolean;
}

export interface SurveyedTarget extends ObjectName {
  readonly before?: Before | undefined;
}

export interface Before {
  readonly uid: string;
  readonly resourceVersion: string;
  /** The same as long as nobody changes what is wanted of it. */
  readonly digest?: string | undefined;
}

export interface Leftover extends InventoryEntry {
  readonly fate: Fate;
}

/** `prune`: deleted by its uid. `keep`: stays, and stays in the inventory. `release`: stays, and isn't the set's any more. */
export type Fate =
  | { readonly type: "prune" }
  | { readonly type: "keep"; readonly message: string }
  | { readonly type: "release"; readonly message: string; readonly isReplaced: boolean };

/** Undefined for a record that another version of the agent wrote: then all is looked at anew. */
export function readSurvey(state: unknown): Survey | undefined {
  if (typeof state !== "object" || state === null || !("version" in state) || state.version !== stateVersion)
    return undefined;
  return (state as unknown as { readonly survey: Survey }).survey;
}

export function surveyState(survey: Survey): unknown {
  return { version: stateVersion, survey };
}

const stateVersion = 1;
