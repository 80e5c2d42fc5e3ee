import { type Fix, fail, few, listNames, pass, type Verdict } from "../checks/index.ts";
import { formatRef } from "../snapshot/index.ts";
import type { Workload } from "../workloads/index.ts";

/** Two controllers that watch the same objects undo what the other one does. */
export function judgeOneInstance(instances: readonly Workload[], fix?: Fix): Verdict {
  if (instances.length <= 1) return pass("There is one instance.");
  return fail(
    `${instances.length} instances watch the same objects: ${listNames(instances.map(({ ref }) => formatRef(ref)))}.`,
    few(instances).map(({ ref }) => ({
      object: ref,
      path: "metadata.name",
      observed: ref.name,
      expected: "one instance",
    })),
    fix,
  );
}
