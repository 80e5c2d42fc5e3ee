// Rights on commands. A command runs with the rights of the agent, not of the person who asked for it. So asking for
// one is a right on the hub, given by that name: rules for a person's own requests to a cluster don't include it.
import type { Access, Principal } from "../../people/access/index.ts";
import type { TemplateUses } from "./template-uses.ts";

/** `propose` is the right to ask for a command that somebody else has to approve. */
export type CommandVerb = "create" | "propose" | "get" | "list" | "update" | "approve";

/** For a command that exists, its requester and its template are given, too. */
interface CommandPlace {
  /** Undefined: all of them. */
  readonly cluster: string | undefined;
  readonly kind: string;
  readonly requester_uid?: string | undefined;
  readonly template?: string | null | undefined;
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

export function createCommandRights(
  access: Pick<Access, "may" | "require">,
  templates?: Pick<TemplateUses, "mayUse">,
): CommandRights {
  const may: CommandRights["may"] = (principal, verb, place) =>
    access.may(principal, toRequest(verb, place)) || isOwnUse(principal, verb, place);
  return {
    may,
    require(principal, verb, place) {
      if (!may(principal, verb, place)) access.require(principal, toRequest(verb, place));
    },
    requireAsk(principal, place, { dryRun, approvals }) {
      const isForOthersToDecide = dryRun || approvals?.fourEyes === true;
      if (isForOthersToDecide && may(principal, "propose", place)) return;
      access.require(principal, toRequest("create", place));
    },
  };

  /** The right to use a template includes looking at the commands that one asked for by it, and cancelling them. */
  function isOwnUse(
    principal: Principal,
    verb: CommandVerb,
    { cluster, requester_uid: requester, template }: CommandPlace,
  ): boolean {
    if (!ownVerbs.has(verb) || requester !== principal.uid || typeof template !== "string") return false;
    return cluster !== undefined && templates?.mayUse(principal, template, cluster) === true;
  }
}

const ownVerbs: ReadonlySet<CommandVerb> = new Set(["get", "list", "update"]);

function toRequest(verb: CommandVerb, { cluster, kind }: CommandPlace) {
  return { verb, resource: `commands/${kind}`, cluster };
}
