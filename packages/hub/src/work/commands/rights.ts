// Who may do what with commands. A command runs with the rights of the agent, not of who asked for it. So it is a right on
// the hub, to be given by that name: rules for what somebody does in a cluster in his own name don't include it.
import type { Access, Principal } from "../../people/access/index.ts";
import type { TemplateUses } from "./template-uses.ts";

/** Who may `propose` a command may ask for it if somebody else has to approve it. */
export type CommandVerb = "create" | "propose" | "get" | "list" | "update" | "approve";

/** Of one that is there already: also who asked for it, and by which template. */
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

  /** Who may use a template may look at, and cancel, what he asked for by it. */
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
