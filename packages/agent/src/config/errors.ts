import { defineErrors, type Errors, type FairleadError } from "@fairlead/kernel";

const table = {
  CONFIG_ARGUMENT_INVALID: {
    message: "The command line isn't understood: {detail}",
    hint: "fairlead-agent --help lists all options.",
    meaning: "The command line has an option or argument that the program doesn't know.",
    remedy: "Look at `fairlead-agent --help`.",
  },
  CONFIG_FILE_UNREADABLE: {
    message: "The configuration file {path} can't be read.",
    hint: "Check the path and that this user may read it.",
    meaning: "The file named by --config can't be read.",
    remedy: "Check its path and permissions.",
  },
  CONFIG_FILE_INVALID: {
    message: "The configuration file {path} isn't a YAML mapping.",
    hint: "It holds members such as `hub: https://hub.example:8444`.",
    meaning: "The file named by --config isn't a YAML mapping.",
    remedy: "Write it as `name: value` lines.",
  },
  CONFIG_SETTING_INVALID: {
    message: "{name}: {detail}.",
    hint: "fairlead-agent --help lists all settings; --print-config shows what is in effect.",
    meaning: "A setting has a value that isn't allowed, or there is no such setting.",
    remedy: "The message names it; `--help` lists all.",
  },
  CONFIG_HUB_MISSING: {
    message: "No hub was given.",
    hint: "Give --hub https://HUB:8444 (the hub's agent listener) or set FAIRLEAD_AGENT_HUB.",
    meaning: "The agent was given no hub.",
  },
  CONFIG_LISTEN_FAILED: {
    message: "The agent can't listen on {address} ({reason}).",
    hint: "Choose another address: --health-listen, --argo-hub-redis-listen or --argo-hub-repo-server-listen.",
    meaning: "The agent can't listen on one of its addresses.",
    remedy:
      "Choose another one: `--health-listen`, `--argo-hub-redis-listen`, `--argo-hub-repo-server-listen`; port 0 takes any free one.",
  },
  CONFIG_CLUSTER_ACCESS_MISSING: {
    message: "The agent doesn't know how to reach its cluster.",
    hint: "Give --kubeconfig FILE, or run it in a pod with a service account.",
    meaning: "The agent has no kubeconfig and doesn't run in a pod.",
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
