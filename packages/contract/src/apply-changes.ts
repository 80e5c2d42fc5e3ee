// Applies changes to a cluster's labels and settings: the hub stores the result, and a dry run of the CLI prints it.
import type { GitopsMapping, GitopsMode, GitopsRules, PutGitopsSettingsRequest } from "./gitops/index.ts";
import type { LabelChanges, Labels } from "./primitives.ts";

/** `null` removes a label. */
export function applyLabelChanges(before: Labels, changes: LabelChanges): Labels {
  const kept = Object.entries(before).filter(([key]) => !Object.hasOwn(changes, key));
  const set = Object.entries(changes).flatMap(([key, value]) => (value === null ? [] : [[key, value] as const]));
  return Object.fromEntries([...kept, ...set]);
}

/** Absent settings keep their value. A mode other than `managed` resets the mapping. */
export function applyGitopsChanges<Rules extends Partial<GitopsRules>>(
  before: { readonly mode: GitopsMode; readonly mapping: GitopsMapping; readonly rules: Rules },
  changes: PutGitopsSettingsRequest,
): { readonly mode: GitopsMode; readonly mapping: GitopsMapping; readonly rules: Rules } {
  const mode = changes.mode ?? before.mode;
  const mapping = changes.mapping ?? (mode === "managed" ? before.mapping : "namespace");
  const rules = Object.entries(changes.rules ?? {}).filter(([, value]) => value !== undefined);
  return { mode, mapping, rules: { ...before.rules, ...Object.fromEntries(rules) } };
}
