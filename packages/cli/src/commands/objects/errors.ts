import type { DataAge } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";

/** Says as well of which clusters that isn't sure. */
export function objectNotFound(what: { kind: string; name: string }, clusters: readonly DataAge[]): FairleadError {
  const unsure = clusters.flatMap(({ cluster, state, missing: [missing] = [] }) => {
    if (missing) return [`${cluster} (${missing.reason})`];
    return state === "connected" ? [] : [`${cluster} (${state})`];
  });
  return new FairleadError({
    code: "CLI_OBJECT_NOT_FOUND",
    message: `There is no ${what.kind} '${what.name}' that you can see ${inSome(clusters)}.`,
    hint:
      unsure.length > 0
        ? `Of these the newest isn't known: ${unsure.join(", ")}.`
        : "Check the kind, the name and the namespace.",
    httpStatus: 404,
  });
}

function inSome(clusters: readonly DataAge[]): string {
  const [only] = clusters;
  return clusters.length === 1 && only ? `in ${only.cluster}` : `in any of ${clusters.length} clusters`;
}

/** An event says its object's kind in full, which is found out from the kinds that the hub knows. */
export function eventKindUnknown(kind: string): FairleadError {
  return new FairleadError({
    code: "CLI_EVENT_KIND_UNKNOWN",
    message: `The hub knows no kind '${kind}', so events of such an object can't be told from others.`,
    hint: "Write the kind as events say it, with a capital: --for Job/web-1.",
    httpStatus: 404,
  });
}
