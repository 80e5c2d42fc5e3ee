import { fail, few, pass, type Verdict } from "../checks/index.ts";
import { type ClusterObject, refTo, runningOf } from "../snapshot/index.ts";

/** Whether each node offers the devices that it has to pods. */
export function judgeAllocatable(options: {
  readonly nodes: readonly ClusterObject[];
  /** Those that offer none. */
  readonly idle: readonly ClusterObject[];
  /** As pods ask for them: `nvidia.com/gpu`. */
  readonly resource: string;
  /** In messages: `GPU nodes`, `their GPUs`, `no GPU`. */
  readonly words: { readonly nodes: string; readonly all: string; readonly none: string };
}): Verdict {
  const { nodes, resource, words } = options;
  const idle = runningOf("nodes", options.idle);
  if (idle.length === 0) return pass(`${nodes.length} ${words.nodes} offer ${words.all}.`);
  return fail(
    `${idle.length} of ${nodes.length} ${words.nodes} offer ${words.none}.`,
    few(idle).map((node) => ({
      object: refTo("nodes", node),
      path: `status.allocatable["${resource}"]`,
      observed: "0",
      expected: "at least 1",
    })),
  );
}
