import type { DataAge } from "@fairlead/contract";
import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CLI_OBJECT_NOT_FOUND: {
    httpStatus: 404,
    message: "There are no {kind} named '{name}' that you can see {inSome}.",
    hint: "{advice}",
    meaning:
      "No object of that kind and name is in any of the clusters asked, as far as you may see; the message says which of them are away.",
    remedy: "Check kind, name and namespace; ask again when the clusters are back.",
  },
  CLI_KIND_UNKNOWN: {
    httpStatus: 404,
    message: "No cluster that you can see has a kind {kinds}.",
    hint: "{advice} 'fairlead api-resources' lists all kinds. An agent observes another kind with --observe-include resource.group.",
    meaning: "No cluster that you may see has a kind of this name; the hint has the nearest one.",
    remedy: "Use the kind that the hint names, or list all with `fairlead api-resources`.",
  },
  /** An event says its object's kind in full, which is found out from the kinds that the hub knows. */
  CLI_EVENT_KIND_UNKNOWN: {
    httpStatus: 404,
    message: "The hub knows no kind '{kind}', so events of such an object can't be told from others.",
    hint: "Write the kind as events say it, with a capital: --for Job/web-1.",
    meaning: "`events --for KIND/OBJECT` names a kind that the hub doesn't know, so events of it can't be found.",
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
        ? `Of these the newest isn't known: ${unsure.join(", ")}.`
        : what.nearest === undefined
          ? "Check the kind, the name and the namespace."
          : `Did you mean '${what.nearest}'?`,
  });
}

function inSome(clusters: readonly DataAge[]): string {
  const [only] = clusters;
  return clusters.length === 1 && only ? `in ${only.cluster}` : `in any of ${clusters.length} clusters`;
}
