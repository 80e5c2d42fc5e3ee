// Decides whether an agent's call may begin. Pure.
import type { GitopsSettings } from "@fairlead/contract";
import type { FairleadError } from "@fairlead/kernel";
import type { AgentHello } from "@fairlead/protocol";
import { gitopsErrors } from "../errors.ts";

/** Another call of the same cluster that this hub serves. */
export interface CurrentCall {
  readonly leaseEpoch: bigint;
}

/** Throws GITOPS_OFF, GITOPS_MODE_MISMATCH, GITOPS_AGENT_OUTDATED, GITOPS_CLUSTER_REPLACED, GITOPS_NOT_LEADER. */
export function admitCall(
  hello: AgentHello,
  options: {
    readonly settings: GitopsSettings;
    readonly current: CurrentCall | undefined;
    /** Why the hub doesn't take the agent for one of its cluster. */
    readonly refusal: FairleadError | undefined;
  },
): void {
  const { settings, current, refusal } = options;
  const { cluster, mode, mapping } = settings;
  if (refusal) throw gitopsErrors.GITOPS_CLUSTER_REPLACED({ cluster, cause: refusal });
  if (mode === "off") throw gitopsErrors.GITOPS_OFF({ cluster });
  if (hello.mode !== "" && hello.mode !== mode)
    throw gitopsErrors.GITOPS_MODE_MISMATCH({ cluster, what: "mode", told: hello.mode, declared: mode });
  if (hello.mapping !== "" && hello.mapping !== mapping)
    throw gitopsErrors.GITOPS_MODE_MISMATCH({ cluster, what: "mapping", told: hello.mapping, declared: mapping });
  if (mapping !== "namespace" && !hello.mappings.includes(mapping))
    throw gitopsErrors.GITOPS_AGENT_OUTDATED({ cluster, mapping });
  if (current !== undefined && hello.leaseEpoch < current.leaseEpoch)
    throw gitopsErrors.GITOPS_NOT_LEADER({ cluster, epoch: hello.leaseEpoch, seen: current.leaseEpoch });
}
