import { type Check, pass, warn } from "../../checks/index.ts";
import { readFlag } from "../../workloads/index.ts";
import { rolesOf } from "./roles.ts";

export const oneHub: Check = {
  id: "fairlead-agent.one-hub",
  title: "All roles of the agent dial the same hub",
  why: `Roles that dial different hubs leave each hub with a part of the cluster: one sees it, the other one acts in it. That
is right only where a cluster is meant to belong to two hubs.`,
  severity: "recommended",
  features: [],
  judge: ({ installation }) => {
    const dialled = rolesOf(installation).map((role) => ({ role, hub: readFlag(role.container, "hub") ?? "" }));
    const [usual] = dialled.map(({ hub }) => hub);
    const others = dialled.filter(({ hub }) => hub !== usual);
    if (usual === undefined || others.length === 0) return pass(`All roles dial ${usual ?? "no hub"}.`);
    return warn(
      `Not all roles dial ${usual}.`,
      others.map(({ role, hub }) => ({
        object: role.workload.ref,
        path: `${role.container.path}.args`,
        observed: hub || "no hub",
        expected: usual,
      })),
    );
  },
};
