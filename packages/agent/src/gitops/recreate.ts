import type { Application, GitopsObject } from "@fairlead/protocol";
import type { CopyRules } from "./types.ts";

/**
 * An application that is made again after somebody deleted it in the cluster. `former`: what it was; undefined: it is new. It
 * loses its last operation: Argo CD's automated sync would take the revision of that one for tried, though what it deployed
 * may have gone along.
 */
export function toRecreated(
  object: GitopsObject,
  former: GitopsObject | undefined,
  rule: CopyRules["onRecreate"],
): GitopsObject {
  if (former === undefined || object.kind !== "Application") return object;
  switch (rule) {
    case "ignore": {
      const { operationState: _last, ...status } = (former as Application).status ?? {};
      return Object.keys(status).length === 0 ? object : { ...object, status };
    }
    case "clear-status":
      return object;
    case "resync":
      return { ...object, operation: { initiatedBy: { username: "fairlead", automated: true }, sync: {} } };
    default:
      return rule satisfies never;
  }
}
