import type { Profile } from "@fairlead/doctor";
import type { Access } from "./blueprint.ts";
import { type Block, block, quote, raw, resource, type Value } from "./hcl.ts";

const argocdVersion = "9.5.11";

export function argocdRelease({ argocd }: Profile, ready: readonly string[]): readonly Block[] {
  const namespaces = argocd.applicationNamespaces.join(",");
  const project = {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "AppProject",
    metadata: { name: argocd.project, namespace: "argocd" },
    spec: {
      sourceRepos: ["*"],
      sourceNamespaces: argocd.applicationNamespaces,
      destinations: [{ server: "*", namespace: "*" }],
      clusterResourceWhitelist: [{ group: "*", kind: "*" }],
    },
  };
  const values = {
    configs: { params: { "application.namespaces": namespaces } },
    ...(argocd.project !== "default" && { extraObjects: [project] }),
  };
  return [
    resource("helm_release", "argocd", {
      name: "argocd",
      namespace: "argocd",
      create_namespace: true,
      repository: raw("var.argocd_repository"),
      chart: "argo-cd",
      version: argocdVersion,
      values: [encoded(values)],
      depends_on: ready.map(raw),
    }),
  ];
}

/** It isn't waited for: its pods start once the Secret with the join token is there. */
export function agentRelease(ready: readonly string[]): readonly Block[] {
  const values = {
    hub: { url: raw("var.hub_url") },
    image: { registry: raw("var.agent_image_registry") },
    token: { existingSecret: raw("var.join_token_secret") },
  };
  return [
    resource("helm_release", "fairlead_agent", {
      name: "fairlead-agent",
      namespace: "fairlead",
      create_namespace: true,
      chart: raw("var.agent_chart"),
      version: raw("var.agent_chart_version"),
      wait: false,
      values: [encoded(values)],
      depends_on: [...ready, "helm_release.argocd"].map(raw),
    }),
  ];
}

function encoded(values: Value): Value {
  return { expression: `yamlencode(${inline(values)})` };
}

/** Writes a value in one line, in HCL's own syntax for objects. Expressions may stand for values. */
function inline(value: Value): string {
  if (typeof value === "string") return quote(value);
  if (typeof value !== "object") return String(value);
  if ("expression" in value && typeof value.expression === "string") return value.expression;
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  const entries = Object.entries(value).map(([key, one]) => `${quote(key)} = ${inline(one)}`);
  return `{ ${entries.join(", ")} }`;
}

export function providerAccess(access: Access): readonly Block[] {
  if (access.kind === "kubeconfig") {
    const entries = { config_path: raw("var.kubeconfig"), config_context: raw("var.kube_context") };
    return [block("provider", ["kubernetes"], entries), block("provider", ["helm"], { kubernetes: entries })];
  }
  const entries = { host: access.host, cluster_ca_certificate: access.ca };
  const exec = {
    api_version: "client.authentication.k8s.io/v1beta1",
    command: access.command,
    args: access.arguments,
  };
  return [
    block("provider", ["kubernetes"], entries, [block("exec", [], exec)]),
    block("provider", ["helm"], { kubernetes: { ...entries, exec } }),
  ];
}
