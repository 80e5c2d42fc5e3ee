import type { CheckInput } from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import type { Container, Workload } from "../../workloads/index.ts";

export interface ArgoProcess {
  readonly component: "server" | "application-controller";
  readonly workload: Workload;
  readonly namespace: string;
  readonly container: Container;
}

/** The processes that read applications: of one Argo CD or of several. */
export function argoProcesses({ installation }: CheckInput): ArgoProcess[] {
  return (["server", "application-controller"] as const).flatMap((component) =>
    workloadsOf(installation, component).flatMap((workload) => {
      const [container] = workload.containers;
      return container ? [{ component, workload, namespace: workload.ref.namespace ?? "default", container }] : [];
    }),
  );
}

/** The namespaces that have an Argo CD of their own. */
export function argoNamespaces(input: CheckInput): string[] {
  return [...new Set(argoProcesses(input).map(({ namespace }) => namespace))].sort();
}
