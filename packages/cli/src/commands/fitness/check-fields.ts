import type { ObjectItem } from "@fairlead/contract";
import { asObject, asText } from "../objects/index.ts";

export interface CheckFields {
  readonly cluster: string;
  readonly check: string;
  readonly verdict: string;
  readonly message: string;
  readonly fix: unknown;
}

export function fieldsOfCheck({ cluster, name, object }: ObjectItem): CheckFields {
  const status = asObject(asObject(object)["status"]);
  const { verdict, message, fix } = status;
  return { cluster, check: name, verdict: asText(verdict), message: asText(message), fix: fix ?? null };
}
