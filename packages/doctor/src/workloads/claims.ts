import { Fields } from "@fairlead/kernel";
import type { Workload } from "./workload.ts";

/** The names of the PersistentVolumeClaims that a workload's pods use: those it names, and those made from its templates. */
export function claimsOf({ object, ref, desired }: Workload): string[] {
  const spec = new Fields(object).at("spec");
  const named = spec
    .at("template", "spec", "volumes")
    .list()
    .flatMap((volume) => volume.at("persistentVolumeClaim", "claimName").text() ?? []);
  const made = spec
    .at("volumeClaimTemplates")
    .list()
    .flatMap((template) => template.at("metadata", "name").text() ?? [])
    .flatMap((name) => Array.from({ length: desired }, (_, ordinal) => `${name}-${ref.name}-${ordinal}`));
  return [...named, ...made];
}
