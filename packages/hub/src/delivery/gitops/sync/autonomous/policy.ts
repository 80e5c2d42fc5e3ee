// What of an autonomous cluster's objects the hub's policy keeps. Pure.
import { hashOf } from "@fairlead/protocol";
import type { MirrorPolicy } from "../types.ts";

/** The hub writes mirrors anew when this differs from what it is on them. */
export function toRulesMark(policy: MirrorPolicy, server: string | undefined): string {
  return hashOf({ format, ...policy, server: server ?? "" }).toString(16);
}

export function keepNames(
  all: Readonly<Record<string, string>>,
  policy: Pick<MirrorPolicy, "labels">,
): Record<string, string> {
  return Object.fromEntries(Object.entries(all).filter(([name]) => isKeptName(name, policy)));
}

function isKeptName(name: string, { labels }: Pick<MirrorPolicy, "labels">): boolean {
  if (refused.test(name)) return false;
  if (labels.includes(name)) return true;
  if (ofKubernetes.test(name)) return false;
  return labels.some((kept) =>
    kept === "*" ? !name.includes("/") : kept.endsWith("/*") && name.startsWith(kept.slice(0, -1)),
  );
}

/** Raised when the hub makes other mirrors of the same objects. */
const format = 1;
/** Argo CD, its notifications and its image updater on the hub act on these, and so does the hub. */
const refused =
  /^(?:(?:[a-z0-9.-]*\.)?(?:argoproj\.io|argoproj-labs\.io|fairlead\.dev)\/|app\.kubernetes\.io\/instance$)/i;
const ofKubernetes = /^(?:[a-z0-9.-]*\.)?(?:kubernetes\.io|k8s\.io)\//i;
