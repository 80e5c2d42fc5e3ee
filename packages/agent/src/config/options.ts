/** A setting in its four spellings: flag, environment variable (`FAIRLEAD_AGENT_` + env), YAML member. */
export interface OptionRow {
  readonly name: string;
  readonly flag: string;
  readonly env: string;
  readonly argument: string;
  readonly help: string;
}

export const optionRows: readonly OptionRow[] = [
  { name: "hub", flag: "hub", env: "HUB", argument: "URL", help: "the hub's agent listener, https://HUB:8444" },
  {
    name: "identity",
    flag: "identity",
    env: "IDENTITY",
    argument: "KIND",
    help: "certificate (default), or mesh: a service mesh says to the hub who this agent is",
  },
  {
    name: "tokenFile",
    flag: "token-file",
    env: "TOKEN_FILE",
    argument: "FILE",
    help: "file with a join token; read again when it changes",
  },
  {
    name: "token",
    flag: "token",
    env: "TOKEN",
    argument: "TOKEN",
    help: "join token (others see it in the process list: prefer the file or the variable)",
  },
  {
    name: "proxy",
    flag: "proxy",
    env: "PROXY",
    argument: "URL",
    help: "HTTP proxy to the hub, whatever HTTPS_PROXY and NO_PROXY say; none for no proxy",
  },
  {
    name: "caFile",
    flag: "ca-file",
    env: "CA_FILE",
    argument: "FILE",
    help: "certificates (PEM) to trust in addition on the way to the hub, or system",
  },
  {
    name: "kubeconfig",
    flag: "kubeconfig",
    env: "KUBECONFIG",
    argument: "FILE",
    help: "how to reach the cluster; in a pod its service account is the default",
  },
  {
    name: "context",
    flag: "context",
    env: "CONTEXT",
    argument: "NAME",
    help: "context of the kubeconfig, if not the current one",
  },
  {
    name: "policyFile",
    flag: "policy-file",
    env: "POLICY_FILE",
    argument: "FILE",
    help: "YAML with what a hub may ask of this cluster; read again when it changes",
  },
  {
    name: "roles",
    flag: "roles",
    env: "ROLES",
    argument: "LIST",
    help: "what this agent does: proxy (default), observe, execute, gitops",
  },
  {
    name: "stateDir",
    flag: "state-dir",
    env: "STATE_DIR",
    argument: "FOLDER",
    help: "where the identity is kept; in a pod a Secret is the default",
  },
  {
    name: "identitySecret",
    flag: "identity-secret",
    env: "IDENTITY_SECRET",
    argument: "NAME",
    help: "Secret in the agent's own namespace to keep the identity in",
  },
  {
    name: "observeInclude",
    flag: "observe-include",
    env: "OBSERVE_INCLUDE",
    argument: "LIST",
    help: "kinds to observe besides the usual ones: configmaps, deployments.apps, *.example.com, *",
  },
  {
    name: "observeExclude",
    flag: "observe-exclude",
    env: "OBSERVE_EXCLUDE",
    argument: "LIST",
    help: "kinds not to observe, written alike; what names a kind more exactly wins",
  },
  {
    name: "observeNamespaces",
    flag: "observe-namespaces",
    env: "OBSERVE_NAMESPACES",
    argument: "LIST",
    help: "observe these namespaces only, and nothing of the cluster as a whole",
  },
  {
    name: "observeLabelSelector",
    flag: "observe-label-selector",
    env: "OBSERVE_LABEL_SELECTOR",
    argument: "SELECTOR",
    help: "observe only what has these labels, of all that is in namespaces",
  },
  {
    name: "observeEnvValues",
    flag: "observe-env-values",
    env: "OBSERVE_ENV_VALUES",
    argument: "mask|keep",
    help: "literal values of environment variables and Helm: mask (default) or keep",
  },
  {
    name: "observeMaxObjectBytes",
    flag: "observe-max-object-bytes",
    env: "OBSERVE_MAX_OBJECT_BYTES",
    argument: "BYTES",
    help: "cut what is larger (default 262144)",
  },
  {
    name: "observeLease",
    flag: "observe-lease",
    env: "OBSERVE_LEASE",
    argument: "NAME",
    help: "Lease in the agent's own namespace by which one of several agents leads",
  },
  {
    name: "executeFolder",
    flag: "execute-folder",
    env: "EXECUTE_FOLDER",
    argument: "FOLDER",
    help: "where the logs of commands wait until the hub has them",
  },
  {
    name: "executeLogMib",
    flag: "execute-log-mib",
    env: "EXECUTE_LOG_MIB",
    argument: "N",
    help: "the longest log of one command, in MiB (default 1024)",
  },
  {
    name: "executeSpoolMib",
    flag: "execute-spool-mib",
    env: "EXECUTE_SPOOL_MIB",
    argument: "N",
    help: "what logs that wait for the hub may take of the folder, in MiB (default 1024)",
  },
  {
    name: "executeProgramMemoryMib",
    flag: "execute-program-memory-mib",
    env: "EXECUTE_PROGRAM_MEMORY_MIB",
    argument: "N",
    help: "what each process of a program that commands run may have of memory, in MiB (default 1024)",
  },
  {
    name: "executeParallel",
    flag: "execute-parallel",
    env: "EXECUTE_PARALLEL",
    argument: "N",
    help: "carry out so many commands at once (default 4)",
  },
  {
    name: "tofuProviderMirror",
    flag: "tofu-provider-mirror",
    env: "TOFU_PROVIDER_MIRROR",
    argument: "PLACE",
    help: "OpenTofu's providers come from this folder or https://…/ alone, whatever commands say",
  },
  {
    name: "tofuProviderCache",
    flag: "tofu-provider-cache",
    env: "TOFU_PROVIDER_CACHE",
    argument: "FOLDER",
    help: "keep OpenTofu's providers there for later commands (default: each fetches its own)",
  },
  {
    name: "commandKeysFile",
    flag: "command-keys-file",
    env: "COMMAND_KEYS_FILE",
    argument: "FILE",
    help: "public keys (JWK) of commands; those that the hub names don't count then",
  },
  {
    name: "argoNamespace",
    flag: "argo-namespace",
    env: "ARGO_NAMESPACE",
    argument: "NAME",
    help: "where Argo CD is in this cluster (default argocd)",
  },
  {
    name: "argoApplicationNamespaces",
    flag: "argo-application-namespaces",
    env: "ARGO_APPLICATION_NAMESPACES",
    argument: "LIST",
    help: "other namespaces that Argo CD's applications may be in",
  },
  {
    name: "gitopsModes",
    flag: "gitops-modes",
    env: "GITOPS_MODES",
    argument: "LIST",
    help: "what the hub may declare for Argo CD's applications: managed, autonomous (default both)",
  },
  {
    name: "gitopsLease",
    flag: "gitops-lease",
    env: "GITOPS_LEASE",
    argument: "NAME",
    help: "Lease in the agent's own namespace by which one of several agents syncs applications",
  },
  {
    name: "healthListen",
    flag: "health-listen",
    env: "HEALTH_LISTEN",
    argument: "HOST:PORT",
    help: "/healthz, /readyz, /metrics (default 127.0.0.1:0)",
  },
  {
    name: "logLevel",
    flag: "log-level",
    env: "LOG_LEVEL",
    argument: "LEVEL",
    help: "trace, debug, info (default), warn, error, silent",
  },
  {
    name: "drainSeconds",
    flag: "drain-seconds",
    env: "DRAIN_SECONDS",
    argument: "N",
    help: "how long requests may go on after SIGTERM (default 30)",
  },
];

export function describeOptions(): string {
  const rows: [string, string][] = [
    ...optionRows.map((row): [string, string] => [`--${row.flag} ${row.argument}`, row.help]),
    ["--config FILE", "YAML file with the same settings (tokenFile, stateDir, …)"],
    ["--print-config", "print what is in effect, without secrets, and exit"],
    ["--version", "print the version and exit"],
    ["--help", "print this and exit"],
  ];
  const width = Math.max(...rows.map(([left]) => left.length));
  const lines = rows.map(([left, help]) => `  ${left.padEnd(width)}  ${help}`);
  return [
    "fairlead-agent connects this cluster to a Fairlead hub.",
    "",
    "Usage: fairlead-agent --hub URL --token-file FILE [options]",
    "",
    ...lines,
    "",
    "Every option can be set by an environment variable too, such as FAIRLEAD_AGENT_HUB and FAIRLEAD_AGENT_TOKEN.",
    "Flags win over the environment, and that wins over the file.",
    "",
  ].join("\n");
}
