// Who may do what with commands. A command runs with the rights of the agent, not of who asked for it. So it is a right on
// the hub, to be given by that name: rules for what somebody does in a cluster in his own name don't include it.
import type { Access, Principal } from "../../people/access/index.ts";

export type CommandVerb = "create" | "get" | "list" | "update" | "approve";

interface CommandPlace {
  readonly cluster: string;
  readonly kind: string;
}

export interface CommandRights {
  may(principal: Principal, verb: CommandVerb, place: CommandPlace): boolean;
  /** Throws ACCESS_DENIED. */
  require(principal: Principal, verb: CommandVerb, place: CommandPlace): void;
}

export function createCommandRights(access: Pick<Access, "may" | "require">): CommandRights {
  return {
    may: (principal, verb, place) => access.may(principal, toRequest(verb, place)),
    require: (principal, verb, place) => access.require(principal, toRequest(verb, place)),
  };
}

function toRequest(verb: CommandVerb, { cluster, kind }: CommandPlace) {
  return { verb, resource: `commands/${kind}`, cluster };
}
