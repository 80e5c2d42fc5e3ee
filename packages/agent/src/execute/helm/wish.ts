// What helm and its charts may do in the cluster, which Secrets they see (those that the command names, and those of the
// release), and which hosts they reach.
import { namedSecrets } from "../../secrets/index.ts";
import { isOfRelease, isReleaseSecret } from "../api-door/index.ts";
import type { ProgramsWish } from "../programs-wish.ts";
import type { Task } from "../types.ts";
import type { HelmSpec } from "./types.ts";

export function wishForHelm(
  { spec, chartHosts }: Pick<Task<HelmSpec>, "spec" | "chartHosts">,
  phase: ProgramsWish["phase"],
): ProgramsWish {
  const allow = chartHosts();
  const release = { namespace: spec.namespace, name: spec.release };
  return {
    phase,
    secrets: { names: namesOf(spec), isOwn: isReleaseSecret(release), owns: isOfRelease(release) },
    hosts: allow && { allow, rule: "execute.charts.repositories.allow" },
  };
}

function namesOf({ action, readableSecrets }: HelmSpec): readonly string[] {
  if (action.type !== "upgrade") return readableSecrets;
  const { from, inline } = action.values;
  const referred = from
    .filter(({ kind }) => kind === "secret")
    .map(({ object }) => `${object.namespace}/${object.name}`);
  return [...readableSecrets, ...referred, ...namedSecrets(inline)];
}
