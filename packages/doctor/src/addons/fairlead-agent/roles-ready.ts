import { type Check, fail, pass } from "../../checks/index.ts";
import { formatRef } from "../../snapshot/index.ts";
import { runningWorkloads } from "../../workloads/index.ts";
import { rolesOf } from "./roles.ts";

export const rolesReady: Check = {
  id: "fairlead-agent.roles-ready",
  title: "Each role of the agent has pods that are ready",
  why: `A pod of the agent is ready once it has reached the hub and the API server. Without one, nothing of what the role
does works in this cluster: its log says which of the two it can't reach.`,
  severity: "required",
  features: [],
  judge: ({ installation }) => {
    const workloads = rolesOf(installation).map(({ workload }) => workload);
    const waiting = runningWorkloads(workloads.filter(({ ready }) => ready === 0));
    if (waiting.length === 0) return pass("Each role has pods that are ready.");
    return fail(
      `No pod is ready of: ${waiting.map(({ ref }) => formatRef(ref)).join(", ")}.`,
      waiting.map(({ ref }) => ({
        object: ref,
        path: "status.readyReplicas",
        observed: "0",
        expected: "1 or more",
      })),
    );
  },
};
