// Whether it makes sense to ask a cluster for anything.
import type { Role } from "@fairlead/protocol";
import type { Clusters } from "../../reach/clusters/index.ts";
import { commandErrors } from "./errors.ts";

export interface UsablePorts {
  readonly clusters: Pick<Clusters, "meet" | "get" | "links">;
  readonly hasHadRole: (cluster: string, role: Role) => Promise<boolean>;
  /** Agents have no identities that the hub gave them. */
  readonly isMesh: boolean;
}

/**
 * Throws CLUSTER_NOT_FOUND, COMMAND_CLUSTER_REVOKED or COMMAND_NO_AGENT. A cluster that was never connected, and may
 * have agents with the role, may get one yet: what it is asked for waits until its deadline.
 */
export function createUsableCheck(ports: UsablePorts): (cluster: string) => Promise<void> {
  const { clusters, hasHadRole, isMesh } = ports;
  return async (name) => {
    await clusters.meet(name);
    const { state, roles } = clusters.get(name);
    if (state === "revoked") throw commandErrors.COMMAND_CLUSTER_REVOKED({ cluster: name });
    if (state === "never-connected" && roles.includes("execute")) return;
    const isConnected = clusters.links(name).some((link) => link.roles.includes("execute"));
    const isFor = isConnected || (isMesh ? roles.includes("execute") : await hasHadRole(name, "execute"));
    if (!isFor) throw commandErrors.COMMAND_NO_AGENT({ cluster: name });
  };
}
