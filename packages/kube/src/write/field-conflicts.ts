import type { FairleadError } from "@fairlead/kernel";
import { statusOf } from "../errors/index.ts";
import { Fields } from "../objects/index.ts";

export interface FieldConflict {
  /** The other manager of the field: `kubectl`, `kube-controller-manager` … */
  readonly manager: string;
  /** `.spec.replicas` */
  readonly field: string;
}

/** Lists the fields by which others kept an object from being applied; empty for any other error. */
export function fieldConflicts(error: FairleadError): readonly FieldConflict[] {
  return new Fields(statusOf(error))
    .at("details", "causes")
    .list()
    .filter((cause) => cause.at("reason").text() === "FieldManagerConflict")
    .map((cause) => ({
      manager: /"((?:[^"\\]|\\.)*)"/.exec(cause.at("message").text() ?? "")?.[1] ?? "somebody",
      field: cause.at("field").text() ?? "a field",
    }));
}
