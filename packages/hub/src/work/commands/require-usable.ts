// Whether it makes sense to ask a cluster for anything.
import type { Role } from "@fairlead/protocol";
import type { Kysely } from "kysely";
import type { Tables } from "../../platform/store/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import { commandErrors } from "./errors.ts";

export interface Asked {
  readonly cluster: string;
  readonly needsApproval: boolean;
  readonly isProposal: boolean;
  readonly kind: string;
}

export interface UsablePorts {
  readonly clusters: Pick<Clusters, "meet" | "get" | "links">;
  readonly hasHadRole: (cluster: string, role: Role) => Promise<boolean>;
  /** Agents have no identities that the hub gave them. */
  readonly isMesh: boolean;
  /** Whether the agents that the cluster had last can plan; undefined: nobody knows. */
  readonly canPlan: (cluster: string) => Promise<boolean | undefined>;
  /** The same for proposals. */
  readonly canPropose: (cluster: string) => Promise<boolean | undefined>;
  /** The same for later plans of flows. */
  readonly canRound: (cluster: string) => Promise<boolean | undefined>;
}

/**
 * Throws CLUSTER_NOT_FOUND, COMMAND_CLUSTER_REVOKED, COMMAND_NO_AGENT, COMMAND_AGENT_PLANLESS,
 * COMMAND_AGENT_PROPOSALLESS or COMMAND_AGENT_ROUNDLESS. A cluster that was never connected, and may have agents with
 * the role, may get one yet: what it is asked for waits until its deadline.
 */
export function createUsableCheck(ports: UsablePorts): (asked: Asked) => Promise<void> {
  const { clusters, hasHadRole, isMesh, canPlan, canPropose, canRound } = ports;
  return async ({ cluster: name, needsApproval, isProposal, kind }) => {
    await clusters.meet(name);
    const { state, roles } = clusters.get(name);
    if (state === "revoked") throw commandErrors.COMMAND_CLUSTER_REVOKED({ cluster: name });
    if (state === "never-connected" && roles.includes("execute")) return;
    const isConnected = clusters.links(name).some((link) => link.roles.includes("execute"));
    const isFor = isConnected || (isMesh ? roles.includes("execute") : await hasHadRole(name, "execute"));
    if (!isFor) throw commandErrors.COMMAND_NO_AGENT({ cluster: name });
    if (needsApproval && (await canPlan(name)) === false) throw commandErrors.COMMAND_AGENT_PLANLESS({ cluster: name });
    if (isProposal && (await canPropose(name)) === false)
      throw commandErrors.COMMAND_AGENT_PROPOSALLESS({ cluster: name });
    // Earlier agents run steps that they couldn't plan without asking anybody.
    if (needsApproval && kind === "flow" && (await canRound(name)) === false)
      throw commandErrors.COMMAND_AGENT_ROUNDLESS({ cluster: name });
  };
}

export async function readAbility(
  db: Kysely<Tables>,
  cluster: string,
  ability: "can_plan" | "can_propose" | "can_round",
): Promise<boolean | undefined> {
  const row = await db.selectFrom("command_queue").select(ability).where("cluster", "=", cluster).executeTakeFirst();
  return row?.[ability] ?? undefined;
}
