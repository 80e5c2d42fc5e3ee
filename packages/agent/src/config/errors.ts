import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import { settingErrors } from "@fairlead/kernel/settings";

const table = {
  CONFIG_HUB_MISSING: {
    message: "The address of the hub isn't set.",
    hint: "Set --hub https://HUB:8444 (the hub's agent listener) or FAIRLEAD_AGENT_HUB.",
    meaning: "The agent has no address of a hub.",
  },
  CONFIG_LISTEN_FAILED: {
    message: "The agent can't listen on {address} ({reason}).",
    hint: "Choose another address with --health-listen, --metrics-listen, --argo-hub-redis-listen or --argo-hub-repo-server-listen.",
    meaning: "The agent can't listen on one of its addresses.",
    remedy:
      "Choose another address with `--health-listen`, `--metrics-listen`, `--argo-hub-redis-listen` or `--argo-hub-repo-server-listen`. Port 0 selects any free port.",
  },
  CONFIG_CLUSTER_ACCESS_MISSING: {
    message: "The agent has no kubeconfig and doesn't run in a pod.",
    hint: "Set --kubeconfig FILE, or run the agent in a pod with a ServiceAccount.",
  },
} as const;

export const configErrors: Errors<typeof table> = defineErrors(table);

export function settingInvalid(name: string, reason: string): FairleadError {
  return settingErrors.CONFIG_INVALID({ name, reason, program: "fairlead-agent" });
}

export function listenFailed(address: string, cause: unknown): FairleadError {
  return configErrors.CONFIG_LISTEN_FAILED({
    address,
    reason: cause instanceof Error && "code" in cause ? String(cause.code) : "unknown",
    cause,
  });
}
