import { findHarm, type InstallWay, installErrors } from "@fairlead/doctor";
import type { ClusterAdoption } from "./adoption-plan.ts";

/**
 * Refuses an adoption that would change something. Objects that can't be seen may differ, too.
 * @throws {FairleadError} `ADDON_ADOPTION_DIFFERS`, `ADDON_VALUES_SECRET`
 */
export function requireHarmless({ step, objects, doubts, secretValues }: ClusterAdoption): void {
  const { addon, way } = step;
  const harm = [...findHarm(objects), ...doubts];
  if (harm.length > 0) throw installErrors.ADDON_ADOPTION_DIFFERS({ addon, what: shorten(harm) });
  requireNoSecrets({ addon, way, secretValues });
}

/**
 * Commands are kept at the hub, and an application's values are in the command that changes it. Those of a release stay
 * in the cluster.
 */
export function requireNoSecrets(step: {
  readonly addon: string;
  readonly way: InstallWay;
  readonly secretValues: readonly string[];
}): void {
  const { addon, way, secretValues } = step;
  if (way === "argocd" && secretValues.length > 0)
    throw installErrors.ADDON_VALUES_SECRET({ addon, paths: shorten(secretValues) });
}

function shorten(all: readonly string[]): string {
  const more = all.length - mostNamed;
  return more > 0 ? `${all.slice(0, mostNamed).join("; ")}; and ${more} more` : all.join("; ");
}

const mostNamed = 5;
