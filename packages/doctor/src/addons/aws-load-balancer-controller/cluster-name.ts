import { type CheckInput, fail, pass, type Verdict } from "../../checks/index.ts";
import { workloadsOf } from "../../detect/index.ts";
import { readFlag } from "../../workloads/index.ts";

export function judgeClusterName({ installation }: CheckInput): Verdict {
  for (const { ref, containers } of workloadsOf(installation, "controller")) {
    if (containers.some((container) => (readFlag(container, "cluster-name") ?? "") !== "")) continue;
    const path = `${containers[0]?.path}.args`;
    const observed = containers[0]?.args.join(" ") ?? "";
    return fail(`${ref.name} has no --cluster-name.`, [
      { object: ref, path, observed: observed || "nothing", expected: "--cluster-name=NAME" },
    ]);
  }
  return pass("The controller knows its cluster's name.");
}
