import { type Check, type CheckInput, pass, type Verdict, warn } from "../../checks/index.ts";
import { argoNamespaces, argoProcesses } from "./instances.ts";

export const single: Check = {
  id: "argocd.single",
  title: "One Argo CD serves the cluster",
  why: `Two application controllers that read the same namespaces both take an application for theirs, and undo each
other's work. A second Argo CD is fine when it reads other namespaces; then this is only a reminder.`,
  severity: "recommended",
  features: [],
  judge,
};

function judge(input: CheckInput): Verdict {
  const namespaces = argoNamespaces(input);
  if (namespaces.length <= 1) return pass("There is one.");
  const controllers = argoProcesses(input).filter(({ component }) => component === "application-controller");
  return warn(
    `There are ${namespaces.length}, in ${namespaces.join(", ")}.`,
    controllers.map(({ workload, namespace }) => ({
      object: workload.ref,
      path: "metadata.namespace",
      observed: namespace,
      expected: "one application controller in the cluster",
    })),
  );
}
