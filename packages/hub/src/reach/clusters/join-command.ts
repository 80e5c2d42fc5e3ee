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

/** Installs the chart; undefined when it has no Deployment for one of the roles. */
export function formatHelmJoin({ cluster, hubAgentUrl, roles }: JoinOptions): HelmJoin | undefined {
  if (roles.length === 0 || roles.some((role) => !chartRoles.includes(role))) return undefined;
  const token = `create secret generic ${secret} --from-file=token=${tokenFile(cluster)}`;
  const values = [`hub.url=${hubAgentUrl}`, `token.existingSecret=${secret}`];
  const parts = [
    ...(roles.includes("proxy") ? [] : ["proxy.enabled=false"]),
    ...(roles.includes("observe") ? ["observe.enabled=true"] : []),
  ].map((value) => ` --set ${value}`);
  return {
    command: [
      `kubectl create namespace ${namespace} ${orUpdate}`,
      `kubectl --namespace ${namespace} ${token} ${orUpdate}`,
      `helm upgrade --install fairlead-agent charts/fairlead-agent --namespace ${namespace} ${setAll(values)}${parts.join("")}`,
    ].join("\n"),
    variants: [
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
    ],
  };
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

const chartRoles: readonly Role[] = ["proxy", "observe"];
const namespace = "fairlead";
const secret = "fairlead-agent-join";
/** Server-side, as a client-side one would keep the content in an annotation as well. */
const orUpdate = "--dry-run=client -o yaml | kubectl apply --server-side -f -";
