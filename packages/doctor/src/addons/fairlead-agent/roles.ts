import type { Installation } from "../../detect/index.ts";
import type { Container, Workload } from "../../workloads/index.ts";

/** A Deployment of the chart. */
export interface Role {
  readonly name: string;
  readonly workload: Workload;
  readonly container: Container;
}

export function rolesOf({ components }: Installation): Role[] {
  return components.flatMap(({ name, workloads }) =>
    workloads.flatMap((workload) => {
      const container = workload.containers.find((each) => each.name === "agent") ?? workload.containers[0];
      return container ? [{ name, workload, container }] : [];
    }),
  );
}
