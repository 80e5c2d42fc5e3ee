import type { DataAge } from "@fairlead/contract";
import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_OBJECT_NOT_FOUND: {
    httpStatus: 404,
    message: "There are no {kind} named '{name}' that you can see {inSome}.",
    hint: "{advice}",
    meaning:
      "None of the clusters has an object of that kind and name that you can see. The message names the clusters that didn't answer.",
    remedy: "Check the kind, name and namespace, and retry when the clusters are connected.",
  },
  CLI_KIND_UNKNOWN: {
    httpStatus: 404,
    message: "No cluster that you can see has the kind {kinds}.",
    hint: "{advice} Run 'fairlead api-resources' to list all kinds. To have an agent observe another kind, set --observe-include resource.group.",
    meaning: "No cluster that you can see has a kind of this name; the hint names the nearest one.",
    remedy: "Use the kind that the hint names, or run `fairlead api-resources` to list all kinds.",
  },
  /** An event says its object's kind in full, which is found out from the kinds that the hub knows. */
  CLI_EVENT_KIND_UNKNOWN: {
    httpStatus: 404,
    message: "The hub doesn't know the kind '{kind}', so it can't select the events of that object.",
    hint: "Write the kind as events spell it, with a capital letter: --for Job/web-1.",
    meaning: "`events --for KIND/OBJECT` names a kind that the hub doesn't know, so its events can't be selected.",
  },
} as const;

export const objectsErrors: Errors<typeof table> = defineErrors(table);

/** Says as well of which clusters that isn't sure. */
export function objectNotFound(
  what: { readonly kind: string; readonly name: string; readonly nearest?: string | undefined },
  clusters: readonly DataAge[],
): FairleadError {
  const unsure = clusters.flatMap(({ cluster, state, missing: [missing] = [] }) => {
    if (missing) return [`${cluster} (${missing.reason})`];
    return state === "connected" ? [] : [`${cluster} (${state})`];
  });
  return objectsErrors.CLI_OBJECT_NOT_FOUND({
    kind: what.kind,
    name: what.name,
    inSome: inSome(clusters),
    advice:
      unsure.length > 0
        ? `The latest state of these clusters isn't known: ${unsure.join(", ")}.`
        : what.nearest === undefined
          ? "Check the kind, the name and the namespace."
          : `Did you mean '${what.nearest}'?`,
  });
}

function inSome(clusters: readonly DataAge[]): string {
  const [only] = clusters;
  return clusters.length === 1 && only ? `in ${only.cluster}` : `in any of ${clusters.length} clusters`;
}
