// Who may do what with commands: the same rules as for requests to the cluster decide, under a group of its own. What a
// command does it does with the rights of the agent, so `create` is for those who may have those.
import { commandApiGroup } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import { type Access, accessErrors, type Principal } from "../../people/access/index.ts";

export type CommandVerb = "create" | "get" | "list" | "update";

interface CommandPlace {
  readonly cluster: string;
  readonly kind: string;
  readonly namespace: string;
}

export interface CommandRights {
  may(principal: Principal, verb: CommandVerb, place: CommandPlace): boolean;
  /** Throws ACCESS_DENIED. */
  require(principal: Principal, verb: CommandVerb, place: CommandPlace): void;
}

export function createCommandRights(access: Pick<Access, "authorize">): CommandRights {
  return {
    may: (principal, verb, place) => judge(principal, verb, place).allowed,
    require(principal, verb, place) {
      const decision = judge(principal, verb, place);
      if (!decision.allowed) throw denied(principal, verb, { ...place, reason: decision.reason });
    },
  };

  function judge(principal: Principal, verb: CommandVerb, { cluster, kind, namespace }: CommandPlace) {
    return access.authorize({
      ...{ principal, cluster },
      attributes: {
        ...{ verb, isResource: true, path: "", apiGroup: commandApiGroup, apiVersion: "v1", namespace },
        ...{ resource: kind, subresource: "", name: "" },
      },
    });
  }
}

function denied(
  { name }: Principal,
  verb: CommandVerb,
  { cluster, kind, namespace, reason }: CommandPlace & { readonly reason: string },
): FairleadError {
  const what = `${verb} ${kind}.${commandApiGroup} in namespace "${namespace}" of cluster ${cluster}: ${reason}`;
  return accessErrors.ACCESS_DENIED({ who: name, what });
}
