import type { KubeMetadata } from "@fairlead/kube";
import { digestOf } from "../survey/digest.ts";
import type { Before } from "../survey/survey.ts";

/** Tells from before and after what applying did. */
export function compare(before: Before | undefined, after: KubeMetadata): "created" | "changed" | "unchanged" {
  // It was there, went meanwhile, and was made anew.
  if (before === undefined || before.uid !== after.uid) return "created";
  if (before.resourceVersion === after.resourceVersion) return "unchanged";
  return before.digest !== undefined && before.digest === digestOf(after) ? "unchanged" : "changed";
}
