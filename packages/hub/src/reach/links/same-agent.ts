import type { Role } from "@fairlead/protocol";
import type { LinkRecord } from "./record.ts";

/** Agents whose certificates give them the same. */
export interface AgentKind {
  readonly cluster: string;
  readonly roles: readonly Role[];
}

export function isSameKind(one: AgentKind, other: AgentKind): boolean {
  return (
    one.cluster === other.cluster &&
    one.roles.length === other.roles.length &&
    one.roles.every((role) => other.roles.includes(role))
  );
}

/** True when both links stand on one key. An agent with another key is somebody else, even in the same cluster. */
export function isSameIdentity(one: LinkRecord, other: LinkRecord): boolean {
  return isSameKind(one, other) && !one.keyThumbprints.isDisjointFrom(other.keyThumbprints);
}
