import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";
import { settingErrors } from "@fairlead/kernel/settings";

const table = {
  CONFIG_HUB_MISSING: {
    message: "No hub was given.",
    hint: "Give --hub https://HUB:8444 (the hub's agent listener) or set FAIRLEAD_AGENT_HUB.",
    meaning: "The agent was given no hub.",
  },
  CONFIG_LISTEN_FAILED: {
    message: "The agent can't listen on {address} ({reason}).",
    hint: "Choose another address: --health-listen, --metrics-listen, --argo-hub-redis-listen or --argo-hub-repo-server-listen.",
    meaning: "The agent can't listen on one of its addresses.",
    remedy:
      "Choose another one: `--health-listen`, `--metrics-listen`, `--argo-hub-redis-listen`, `--argo-hub-repo-server-listen`; port 0 takes any free one.",
  },
  CONFIG_CLUSTER_ACCESS_MISSING: {
    message: "The agent doesn't know how to reach its cluster.",
    hint: "Give --kubeconfig FILE, or run it in a pod with a service account.",
    meaning: "The agent has no kubeconfig and doesn't run in a pod.",
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
