// Who may do what with commands. A command runs with the rights of the agent, not of who asked for it. So it is a right on
// the hub, to be given by that name: rules for what somebody does in a cluster in his own name don't include it.
import type { Access, Principal } from "../../people/access/index.ts";

/** Who may `propose` a command may ask for it if somebody else has to approve it. */
export type CommandVerb = "create" | "propose" | "get" | "list" | "update" | "approve";

interface CommandPlace {
  readonly cluster: string;
  readonly kind: string;
}

export interface CommandRights {
  may(principal: Principal, verb: CommandVerb, place: CommandPlace): boolean;
  /** Throws ACCESS_DENIED. */
  require(principal: Principal, verb: CommandVerb, place: CommandPlace): void;
  /** Throws ACCESS_DENIED. */
  requireAsk(principal: Principal, place: CommandPlace, asked: AskedFor): void;
}

interface AskedFor {
  readonly dryRun: boolean;
  readonly approvals?: { readonly fourEyes: boolean };
}

export function createCommandRights(access: Pick<Access, "may" | "require">): CommandRights {
  const may: CommandRights["may"] = (principal, verb, place) => access.may(principal, toRequest(verb, place));
  return {
    may,
    require: (principal, verb, place) => access.require(principal, toRequest(verb, place)),
    requireAsk(principal, place, { dryRun, approvals }) {
      const isForOthersToDecide = dryRun || approvals?.fourEyes === true;
      if (isForOthersToDecide && may(principal, "propose", place)) return;
      access.require(principal, toRequest("create", place));
    },
  };
}

function toRequest(verb: CommandVerb, { cluster, kind }: CommandPlace) {
  return { verb, resource: `commands/${kind}`, cluster };
}
