// A principal's namespace and those of its agents, with the labels, names and addresses that argocd-agentctl and the
// principal of argocd-agent 0.9 write.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";

export async function writeInstallation(
  folder: string,
  parameters: Record<string, string> = {},
  more: readonly object[] = [],
): Promise<string> {
  const file = join(folder, "installation.yaml");
  const items = [
    {
      ...named("ConfigMap", "argocd", "argocd-agent-params"),
      data: { "principal.namespace": "argocd", ...parameters },
    },
    ...["west", "east", "new", "argocd"].map(agentSecret),
    named("Secret", "argocd", "argocd-agent-ca"),
    { ...named("ConfigMap", "argocd", "argocd-agent-tls-blocklist"), data: { ["ab".repeat(32)]: "" } },
    // A cluster of Argo CD's own, without an agent.
    { ...named("Secret", "argocd", "by-hand", { "argocd.argoproj.io/secret-type": "cluster" }), data: {} },
    application("east", "shop", {}),
    application("east", "kept", { "argocd-agent.argoproj-labs.io/ignore-sync": "true" }),
    application("west", "web", {}, { "argocd-agent.argoproj.io/last-updated": "2026-08-21T10:00:00Z" }),
    {
      ...named("AppProject", "argocd", "shop"),
      spec: {
        destinations: [{ server: "https://proxy:9090?agentName=east", namespace: "*" }],
        sourceNamespaces: ["*"],
      },
    },
    ...more,
  ];
  await writeFile(file, stringify({ apiVersion: "v1", kind: "List", items }));
  return file;
}

function agentSecret(agent: string): object {
  const labels = {
    "argocd.argoproj.io/secret-type": "cluster",
    "argocd-agent.argoproj-labs.io/agent-name": agent,
  };
  const encode = (text: string): string => Buffer.from(text).toString("base64");
  const config = { username: agent, password: "hidden", tlsClientConfig: { insecure: false } };
  return {
    ...named("Secret", "argocd", `cluster-${agent}`, labels, { "managed-by": "argocd.argoproj.io" }),
    data: {
      name: encode(agent),
      server: encode(`https://proxy:9090?agentName=${agent}`),
      config: encode(JSON.stringify(config)),
    },
  };
}

/** In a namespace of its own, with a cluster for its destination. */
export function destined(namespace: string, name: string, cluster: string): object {
  return { ...named("Application", namespace, name), spec: { destination: { name: cluster }, project: "shop" } };
}

function application(namespace: string, name: string, labels: object, more: object = {}): object {
  const annotations = namespace === "east" ? { "argocd.argoproj.io/source-uid-mismatch-policy": "upsert" } : {};
  const spec = { destination: { name: namespace, namespace: name }, project: "shop" };
  return { ...named("Application", namespace, name, labels, { ...annotations, ...more }), spec };
}

function named(kind: string, namespace: string, name: string, labels: object = {}, annotations: object = {}) {
  return { kind, metadata: { name, namespace, labels, annotations } };
}
