// Ages of kinds go between hubs without names, in the order of these, with a mark of the names.
import { hash } from "node:crypto";
import type { ClusterRecord } from "./freshness.ts";

export function namesOf({ kinds }: Pick<ClusterRecord, "kinds">): readonly string[] {
  return [...kinds.keys()].sort();
}

export function markNames(names: readonly string[]): string {
  return hash("sha256", names.join(), "base64url").slice(0, 12);
}
