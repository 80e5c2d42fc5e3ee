import type { ObjectItem } from "@fairlead/contract";
import { asObject, asText } from "../objects/index.ts";
import type { Generations } from "./generations.ts";

export interface CheckFields {
  readonly cluster: string;
  readonly check: string;
  readonly verdict: string;
  readonly message: string;
  readonly fix: unknown;
}

/** As it holds now: one that was made with another generation of the profile is unknown. */
export function fieldsOfCheck({ cluster, name, object }: ObjectItem, generations: Generations): CheckFields {
  const status = asObject(asObject(object)["status"]);
  const { verdict, message, fix, examinedWith } = status;
  const fields = { cluster, check: name, verdict: asText(verdict), message: asText(message), fix: fix ?? null };
  const outdated = generations.whyOutdated(cluster, examinedWith);
  return outdated === undefined ? fields : { ...fields, verdict: "unknown", message: outdated, fix: null };
}
