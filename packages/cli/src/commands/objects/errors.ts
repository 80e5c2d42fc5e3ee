import type { DataAge } from "@fairlead/contract";
import { FairleadError } from "@fairlead/kernel";

/** Says as well of which clusters that isn't sure. */
export function objectNotFound(what: { kind: string; name: string }, clusters: readonly DataAge[]): FairleadError {
  const away = clusters
    .filter(({ state }) => state !== "connected")
    .map(({ cluster, state }) => `${cluster} (${state})`);
  return new FairleadError({
    code: "CLI_OBJECT_NOT_FOUND",
    message: `There is no ${what.kind} '${what.name}' that you can see in any of ${clusters.length} clusters.`,
    hint:
      away.length > 0
        ? `Of these the newest isn't known: ${away.join(", ")}.`
        : "Check the kind, the name and the namespace.",
    httpStatus: 404,
  });
}
