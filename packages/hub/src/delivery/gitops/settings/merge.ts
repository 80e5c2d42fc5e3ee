// Merges new settings over the old ones. Pure.
import {
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
  const mode = told.mode ?? before.mode;
  const mapping = told.mapping ?? (mode === "managed" ? before.mapping : "namespace");
  if (mapping === "destination" && mode !== "managed")
    throw gitopsErrors.GITOPS_REQUEST_INVALID({
      problems: "mapping: the mapping by destination is for managed clusters",
    });
  const rules = Object.entries(told.rules ?? {}).filter(([, value]) => value !== undefined);
  return { mode, mapping, rules: { ...before.rules, ...Object.fromEntries(rules) } };
}
