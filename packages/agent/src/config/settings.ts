// Every setting of the agent. Flags, environment variables, keys of the YAML file, help and documentation come from it.
import {
  address,
  choice,
  choices,
  duration,
  file,
  folder,
  group,
  type Program,
  type SettingTable,
  text,
  wholly,
} from "@fairlead/kernel/settings";
import { type TracingConfig, tracingSettings } from "@fairlead/kernel/tracing";
import { type Role, roles } from "@fairlead/protocol";
import { type ExecuteSettings, executeSettings } from "./execute-settings.ts";
import { type GitopsSettings, gitopsSettings } from "./gitops-settings.ts";
import { hubUrl, objectName, proxySecret } from "./kinds.ts";
import { type ObserveSettings, observeSettings } from "./observe-settings.ts";

export interface Settings
  extends ConnectionSettings,
    IdentitySettings,
    ObserveSettings,
    ExecuteSettings,
    GitopsSettings,
    OperationSettings,
    TracingConfig {}

interface ConnectionSettings {
  readonly hub: string | undefined;
  readonly proxy: string | undefined;
  readonly caFile: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly roles: readonly Role[];
  readonly policyFile: string | undefined;
}

const connectionSettings: SettingTable<ConnectionSettings> = group<ConnectionSettings>("Connection", {
  hub: { kind: hubUrl(), help: "URL of the hub's agent listener, for example https://hub.example.com:8444" },
  proxy: {
    kind: text({ placeholder: "URL", expected: "http://HOST:PORT, https://HOST:PORT or none" }),
    secret: proxySecret,
    defaultText: "`HTTPS_PROXY`, `NO_PROXY`",
    help: "HTTP proxy for the connection to the hub; none for no proxy",
    details: "It replaces what `HTTPS_PROXY` and `NO_PROXY` say. A flag with a password in the URL is rejected.",
  },
  caFile: {
    kind: file({ words: ["system"] }),
    help: "Certificates (PEM) to trust for the hub in addition to the join token's; system for those of the machine",
    details: "The agent reads the file again for each connection ([networks](networks.md)).",
  },
  kubeconfig: { kind: file(), defaultText: "the pod's ServiceAccount", help: "Kubeconfig of the cluster" },
  context: {
    kind: text({ placeholder: "NAME" }),
    defaultText: "the current one",
    help: "Context of the kubeconfig",
  },
  roles: {
    kind: choices(roles),
    fallback: ["proxy"],
    help: "What this agent does",
    details:
      "`proxy` gives access to the API, `observe` keeps the hub's live picture of the cluster, `execute` runs [commands](commands-agent.md), and `gitops` syncs [Argo CD's applications](argocd.md). With more roles than its identity has, the agent runs those that it has, and enrolls again when a token for all of them is in its token file.",
  },
  policyFile: {
    kind: file(),
    help: "YAML file that limits what a hub can ask of this cluster",
    details: "The agent reads it again when it changes ([agent-policy.md](agent-policy.md)).",
  },
});

interface IdentitySettings {
  readonly identity: "certificate" | "mesh";
  readonly tokenFile: string | undefined;
  readonly token: string | undefined;
  readonly stateDir: string | undefined;
  readonly identitySecret: string | undefined;
}

const identitySettings: SettingTable<IdentitySettings> = group<IdentitySettings>("Identity", {
  identity: {
    kind: choice(["certificate", "mesh"], "KIND"),
    fallback: "certificate",
    help: "How the hub knows this agent: by its certificate, or by what a service mesh says of it",
    details:
      "With `certificate` the agent enrolls with a join token. With `mesh` it needs none, and the hub can be `http://` or `ws://` ([networks](networks.md#agents-of-a-service-mesh)).",
  },
  tokenFile: {
    kind: file(),
    help: "File with the join token",
    details: "The agent reads it again when it changes, so a new token needs no restart.",
  },
  token: {
    kind: text({ placeholder: "TOKEN" }),
    secret: wholly,
    help: "Join token; set it as a variable, since it is rejected as a flag",
  },
  stateDir: {
    kind: folder(),
    defaultText: "in a pod a Secret, elsewhere a folder of the user's for each hub and API server",
    help: "Folder for the agent's key and certificate (mode 0600)",
  },
  identitySecret: {
    kind: objectName("Secret"),
    defaultText: "`fairlead-agent-identity` in a pod",
    help: "Secret for the agent's key and certificate, in the pod's namespace or the kubeconfig's",
    details: "Can't be combined with `--state-dir`.",
  },
});

interface OperationSettings {
  readonly healthListen: string;
  readonly metricsListen: string | undefined;
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  readonly drainMs: number;
}

const operationSettings: SettingTable<OperationSettings> = group<OperationSettings>("Operation", {
  healthListen: {
    kind: address({ toListen: true, example: "127.0.0.1:8080" }),
    fallback: "127.0.0.1:0",
    help: "Address of /healthz, /readyz and /metrics; port 0 takes any free port",
  },
  metricsListen: {
    kind: address({ toListen: true, example: "0.0.0.0:9090" }),
    help: "Address that serves /metrics and nothing else, without TLS and to anyone",
    details: "For networks where only Prometheus can reach the port ([metrics](metrics.md#a-port-for-metrics-alone)).",
  },
  logLevel: {
    kind: choice(["trace", "debug", "info", "warn", "error", "fatal", "silent"], "LEVEL"),
    fallback: "info",
    help: "Lowest level that is logged",
  },
  drainMs: {
    name: "drain",
    kind: duration({ from: "0s", to: "1h", example: "30s" }),
    fallback: 30_000,
    former: { name: "drainSeconds", factor: 1_000 },
    help: "Time that requests in progress have to finish when the agent stops",
  },
});

const settings: SettingTable<Settings> = {
  ...connectionSettings,
  ...identitySettings,
  ...observeSettings,
  ...executeSettings,
  ...gitopsSettings,
  ...operationSettings,
  ...tracingSettings,
};

export const agentProgram: Program<Settings> = {
  name: "fairlead-agent",
  variablePrefix: "FAIRLEAD_AGENT_",
  settings,
};
