import { deleteObject } from "@fairlead/kube";
import type { Task } from "../types.ts";
import { orderForDeletion } from "./apply/tiers.ts";
import { act, isInterruption } from "./attempt.ts";
import { manifestsErrors } from "./errors.ts";
import { inParallel, parallelRequests } from "./in-parallel.ts";
import type { KindCatalogue } from "./kinds/catalogue.ts";
import { keyOf, onlyName } from "./object-name.ts";
import { describeOutcome, failed } from "./outcome.ts";
import type { Leftover, Survey } from "./survey/survey.ts";
import type { ManifestsSpec, Outcome } from "./types.ts";

/** Deletes objects that the set doesn't name any more, by uid. An object that can't be deleted keeps no other. */
export async function prune(options: {
  readonly task: Task<ManifestsSpec>;
  readonly catalogue: KindCatalogue;
  readonly survey: Pick<Survey, "leftovers">;
  readonly onOutcome: (key: string, outcome: Outcome) => void;
}): Promise<void> {
  const { task, survey, onOutcome } = options;
  const doomed = survey.leftovers.filter(({ fate }) => fate.type === "prune");
  for (const tier of orderForDeletion(doomed)) {
    await inParallel(tier, parallelRequests, async (leftover) => {
      const outcome = await pruneOne({ ...options, leftover });
      onOutcome(keyOf(leftover), outcome);
      task.log.line(describeOutcome(outcome));
    });
  }
}

/** The outcome told of an object that stays. */
export function keptOutcome(leftover: Leftover): Outcome | undefined {
  const { fate } = leftover;
  if (fate.type === "prune") return undefined;
  if (fate.type === "release" && fate.isReplaced) return recreated(leftover);
  return { ...onlyName(leftover), did: "kept", message: fate.message };
}

async function pruneOne(options: {
  readonly task: Task<ManifestsSpec>;
  readonly catalogue: KindCatalogue;
  readonly leftover: Leftover;
}): Promise<Outcome> {
  const { task, catalogue, leftover } = options;
  const { apiVersion, kind, uid = "" } = leftover;
  const name = onlyName(leftover);
  try {
    const resource = await catalogue.findAnyVersion(apiVersion, kind);
    // Its kind went, and it with the kind.
    if (!resource) return { ...name, did: "deleted" };
    const { kube: client } = task;
    const result = await act(task, (signal) => deleteObject({ client, resource, ...name, uid, signal }));
    return result === "replaced" ? recreated(leftover) : { ...name, did: "deleted" };
  } catch (error) {
    if (isInterruption(task, error)) throw error;
    return failed({ task, name, error });
  }
}

function recreated(leftover: Leftover): Outcome {
  const { code, message } = manifestsErrors.MANIFESTS_RECREATED();
  return { ...onlyName(leftover), did: "kept", code, message };
}
