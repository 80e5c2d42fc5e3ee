import type { Role } from "@fairlead/protocol";

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
