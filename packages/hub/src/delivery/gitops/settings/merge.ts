// Merges new settings over the old ones. Pure.
import {
  applyGitopsChanges,
  type GitopsMapping,
  type GitopsMode,
  type GitopsRules,
  type PutGitopsSettingsRequest,
  usualGitopsRules,
} from "@fairlead/contract";
import { gitopsErrors } from "../errors.ts";

export interface ClusterSettings {
  readonly mode: GitopsMode;
  readonly mapping: GitopsMapping;
  readonly rules: GitopsRules;
}

export const usualSettings: ClusterSettings = { mode: "off", mapping: "namespace", rules: usualGitopsRules };

/** Settings that aren't told stay; only the mapping goes with its mode. Throws GITOPS_REQUEST_INVALID. */
export function mergeSettings(before: ClusterSettings, told: PutGitopsSettingsRequest): ClusterSettings {
  const after = applyGitopsChanges(before, told);
  if (after.mapping === "destination" && after.mode !== "managed")
    throw gitopsErrors.GITOPS_REQUEST_INVALID({
      problems: "mapping: the mapping by destination is for managed clusters",
    });
  return after;
}
