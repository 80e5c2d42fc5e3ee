// Lines for a shell that bring an agent to a cluster. The token isn't in them: arguments are there for every user of a
// machine to see. It goes into a file, which only its owner should read, and from there into a Secret.
import type { HelmJoin } from "@fairlead/contract";
import type { Role } from "@fairlead/protocol";

export interface JoinOptions {
  readonly cluster: string;
  readonly hubAgentUrl: string;
  readonly roles: readonly Role[];
}

/** Starts an agent as a process. */
export function formatJoinCommand({ cluster, hubAgentUrl, roles }: JoinOptions): string {
  return `fairlead-agent --hub ${quote(hubAgentUrl)} --roles ${roles.join(",")} --token-file ${tokenFile(cluster)}`;
}

/** The same where a mesh vouches for the agent, which then needs no token. */
export function formatMeshCommand({ hubAgentUrl, roles }: JoinOptions): string {
  return `fairlead-agent --hub ${quote(hubAgentUrl)} --roles ${roles.join(",")} --identity mesh`;
}

/** Installs the chart; undefined when it has no Deployment for one of the roles. */
export function formatHelmJoin({ cluster, hubAgentUrl, roles }: JoinOptions): HelmJoin | undefined {
  if (!isInChart(roles)) return undefined;
  const token = `create secret generic ${secret} --from-file=token=${tokenFile(cluster)}`;
  const values = [`hub.url=${hubAgentUrl}`, `token.existingSecret=${secret}`];
  return {
    command: [
      `kubectl create namespace ${namespace} ${orUpdate}`,
      `kubectl --namespace ${namespace} ${token} ${orUpdate}`,
      `${install} ${setAll(values)}${setParts(roles)}`,
    ].join("\n"),
    variants: [
      registry,
      {
        when: "Through an HTTP proxy",
        arguments: setAll(["hub.httpsProxy.url=http://proxy.example.com:3128"]),
      },
      {
        when: "Through an HTTP proxy that asks for a password",
        before: `kubectl --namespace ${namespace} create secret generic fairlead-agent-proxy --from-file=HTTPS_PROXY=./proxy-url ${orUpdate}`,
        arguments: `${setAll(["hub.httpsProxy.existingSecret=fairlead-agent-proxy"])} --set 'networkPolicy.hubPorts={3128}'`,
      },
      {
        when: "Where a load balancer or proxy of a private authority ends TLS",
        before: `kubectl --namespace ${namespace} create configmap fairlead-agent-ca --from-file=ca.crt=./ca.pem ${orUpdate}`,
        arguments: setAll(["hub.caBundle.configMap=fairlead-agent-ca"]),
      },
      ...(roles.includes("proxy") ? [changes] : []),
      ...(roles.includes("execute") ? [rights] : []),
    ],
  };
}

/** No image is published, and only who runs the cluster knows where theirs are. */
const registry = {
  when: "Always: with the registry that has your images",
  arguments: setAll(["image.registry=registry.example.com"]),
};

/** The chart wants a choice: without rights each command would end in an error. */
const rights = {
  when: "Always: with the rights of commands, here in one namespace",
  arguments: "--set 'execute.rights.namespaces={team-a}'",
};

/** Without it people read the cluster through the hub, and that is all. */
const changes = {
  when: "To let the hub's admins change the cluster, too, and not only read it",
  arguments: setAll(["proxy.defaultGroups.admins.clusterRole=cluster-admin"]),
};

export function formatMeshHelm({ hubAgentUrl, roles }: JoinOptions): HelmJoin | undefined {
  if (!isInChart(roles)) return undefined;
  const values = setAll([`hub.url=${hubAgentUrl}`, "identity=mesh"]);
  const variants = roles.includes("execute") ? [registry, rights] : [registry];
  return { command: `${install} --create-namespace ${values}${setParts(roles)}`, variants };
}

function isInChart(roles: readonly Role[]): boolean {
  return roles.length > 0 && roles.every((role) => chartRoles.includes(role));
}

function setParts(roles: readonly Role[]): string {
  const parts = [
    ...(roles.includes("proxy") ? [] : ["proxy.enabled=false"]),
    ...(roles.includes("observe") ? ["observe.enabled=true"] : []),
    ...(roles.includes("execute") ? ["execute.enabled=true"] : []),
  ];
  return parts.map((value) => ` --set ${value}`).join("");
}

function tokenFile(cluster: string): string {
  return `./${cluster}.join-token`;
}

function setAll(values: readonly string[]): string {
  return values.map((value) => `--set-string ${quote(value)}`).join(" ");
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

const chartRoles: readonly Role[] = ["proxy", "observe", "execute"];
const namespace = "fairlead";
const install = `helm upgrade --install fairlead-agent charts/fairlead-agent --namespace ${namespace}`;
const secret = "fairlead-agent-join";
/** Server-side, as a client-side one would keep the content in an annotation as well. */
const orUpdate = "--dry-run=client -o yaml | kubectl apply --server-side -f -";
