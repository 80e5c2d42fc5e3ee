import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CONFIG_ARGUMENT_INVALID: {
    message: "The command line isn't understood: {detail}",
    hint: "fairlead-agent --help lists all options.",
  },
  CONFIG_FILE_UNREADABLE: {
    message: "The configuration file {path} can't be read.",
    hint: "Check the path and that this user may read it.",
  },
  CONFIG_FILE_INVALID: {
    message: "The configuration file {path} isn't a YAML mapping.",
    hint: "It holds members such as `hub: https://hub.example:8444`.",
  },
  CONFIG_SETTING_INVALID: {
    message: "{name}: {detail}.",
    hint: "fairlead-agent --help lists all settings; --print-config shows what is in effect.",
  },
  CONFIG_HUB_MISSING: {
    message: "No hub was given.",
    hint: "Give --hub https://HUB:8444 (the hub's agent listener) or set FAIRLEAD_AGENT_HUB.",
  },
  CONFIG_LISTEN_FAILED: {
    message: "The agent can't listen on {address} ({reason}).",
    hint: "Choose another address: --health-listen, --argo-hub-redis-listen or --argo-hub-repo-server-listen.",
  },
  CONFIG_CLUSTER_ACCESS_MISSING: {
    message: "The agent doesn't know how to reach its cluster.",
    hint: "Give --kubeconfig FILE, or run it in a pod with a service account.",
  },
} as const;

export const configErrors: Errors<typeof table> = defineErrors(table);

export function listenFailed(address: string, cause: unknown): FairleadError {
  return configErrors.CONFIG_LISTEN_FAILED({
    address,
    reason: cause instanceof Error && "code" in cause ? String(cause.code) : "unknown",
    cause,
  });
}
