import { FairleadError } from "@fairlead/kernel";

export function argumentInvalid(detail: string): FairleadError {
  return new FairleadError({
    code: "CONFIG_ARGUMENT_INVALID",
    message: `The command line isn't understood: ${detail}`,
    hint: "fairlead-agent --help lists all options.",
  });
}

export function configFileUnreadable(path: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CONFIG_FILE_UNREADABLE",
    message: `The configuration file ${path} can't be read.`,
    hint: "Check the path and that this user may read it.",
    cause,
  });
}

export function configFileInvalid(path: string, cause?: unknown): FairleadError {
  return new FairleadError({
    code: "CONFIG_FILE_INVALID",
    message: `The configuration file ${path} isn't a YAML mapping.`,
    hint: "It holds members such as `hub: https://hub.example:8444`.",
    cause,
  });
}

export function settingInvalid(name: string, detail: string): FairleadError {
  return new FairleadError({
    code: "CONFIG_SETTING_INVALID",
    message: `${name}: ${detail}.`,
    hint: "fairlead-agent --help lists all settings; --print-config shows what is in effect.",
  });
}

export function hubMissing(): FairleadError {
  return new FairleadError({
    code: "CONFIG_HUB_MISSING",
    message: "No hub was given.",
    hint: "Give --hub https://HUB:8444 (the hub's agent listener) or set FAIRLEAD_AGENT_HUB.",
  });
}

export function listenFailed(address: string, cause: unknown): FairleadError {
  return new FairleadError({
    code: "CONFIG_LISTEN_FAILED",
    message: `${address} can't be listened on (${cause instanceof Error && "code" in cause ? cause.code : "unknown"}).`,
    hint: "Choose another --health-listen address; port 0 takes any free one.",
    cause,
  });
}

export function clusterAccessMissing(): FairleadError {
  return new FairleadError({
    code: "CONFIG_CLUSTER_ACCESS_MISSING",
    message: "The agent doesn't know how to reach its cluster.",
    hint: "Give --kubeconfig FILE, or run it in a pod with a service account.",
  });
}
