// Revisions of before: where an upgrade begins, and where a rollback goes.

import type { Release } from "@fairlead/kube";
import type { Begun } from "./begin.ts";
import { helmErrors } from "./errors.ts";
import type { Memory } from "./memory.ts";
import type { ReleaseHead } from "./release/release-store.ts";
import type { RollbackAction } from "./types.ts";

export function deployedOf(heads: readonly ReleaseHead[]): number | undefined {
  return heads.findLast(({ status }) => status === "deployed")?.revision;
}

export async function openBefore({ store, heads }: Begun, memory: Memory | undefined): Promise<Release | undefined> {
  const head = heads.find(({ revision }) => revision === memory?.before);
  return head && (await store.open(head));
}

/** Throws where there is nothing to go back to. */
export function chooseRevision({ task, heads }: Begun, { revision }: RollbackAction): number {
  const { release, namespace } = task.spec;
  const latest = heads.at(-1);
  if (latest === undefined) throw helmErrors.HELM_RELEASE_MISSING({ release, namespace });
  const earlier = heads.filter((head) => head.revision < latest.revision);
  const good = earlier.findLast(({ status }) => status === "superseded" || status === "deployed");
  const chosen = revision === undefined ? good : heads.find((head) => head.revision === revision);
  if (chosen === undefined)
    throw helmErrors.HELM_REVISION_MISSING({ release, revision: revision ?? "before this one" });
  return chosen.revision;
}
