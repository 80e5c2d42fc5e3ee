import { type Check, pass, safe, warn } from "../../checks/index.ts";
import { rolesOf } from "./roles.ts";

export const twoReplicas: Check = {
  id: "fairlead-agent.two-replicas",
  title: "Roles that people wait for have two pods",
  why: `With one pod, each rollout and each node that goes away cuts off whoever works through the agent, and the hub's picture
of the cluster stands still meanwhile. The second pod takes over at once.`,
  severity: "recommended",
  features: [],
  judge: ({ installation }) => {
    const roles = rolesOf(installation).filter(({ name }) => name !== "execute");
    const lone = roles.filter(({ workload }) => workload.desired < 2);
    const [first] = lone;
    if (!first) return pass("Each has two pods.");
    const { provenance } = installation;
    return warn(
      `One pod has to do for: ${lone.map(({ name }) => name).join(", ")}.`,
      lone.map(({ workload }) => ({
        object: workload.ref,
        path: "spec.replicas",
        observed: String(workload.desired),
        expected: "2",
      })),
      provenance?.is === "helm"
        ? {
            is: "helm-values",
            risk: safe,
            chart: "fairlead-agent",
            release: { namespace: provenance.namespace, name: provenance.release },
            values: Object.fromEntries(lone.map(({ name }) => [name, { replicas: 2 }])),
          }
        : { is: "patch", risk: safe, object: first.workload.ref, type: "merge", patch: { spec: { replicas: 2 } } },
    );
  },
};
