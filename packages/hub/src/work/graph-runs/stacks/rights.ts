// Rights on stacks: rights on the hub by the stack's name. Rights on commands decide in addition what its commands may
// do.
import type { StackAction } from "@fairlead/contract";
import type { Access, Principal } from "../../../people/access/index.ts";

export type StackVerb = "get" | "list" | "apply" | "destroy";

export interface StackRights {
  may(principal: Principal, verb: StackVerb, stack: string): boolean;
  /** Throws ACCESS_DENIED. */
  require(principal: Principal, verb: StackVerb, stack: string): void;
}

export function createStackRights(access: Pick<Access, "may" | "require">): StackRights {
  return {
    may: (principal, verb, stack) => access.may(principal, { verb, resource: `stacks/${stack}` }),
    require: (principal, verb, stack) => access.require(principal, { verb, resource: `stacks/${stack}` }),
  };
}

/** A plan asks clusters for as much as an apply, without its effects. */
export function verbOf(action: StackAction): StackVerb {
  return action === "destroy" ? "destroy" : "apply";
}
