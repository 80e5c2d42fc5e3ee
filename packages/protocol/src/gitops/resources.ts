import type { GitopsKind } from "./flows.ts";

/** Where a kind's objects are in a Kubernetes API, and which of their resource are meant. */
export interface GitopsResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  /** Absent: whatever labels they have. */
  readonly labelSelector?: string;
  /** The name of the only object that is meant. Absent: all of them. */
  readonly name?: string;
}

export const gitopsResources: Readonly<Record<GitopsKind, GitopsResource>> = {
  applications: { group: "argoproj.io", version: "v1alpha1", resource: "applications", kind: "Application" },
  projects: { group: "argoproj.io", version: "v1alpha1", resource: "appprojects", kind: "AppProject" },
  repositories: {
    group: "",
    version: "v1",
    resource: "secrets",
    kind: "Secret",
    labelSelector: "argocd.argoproj.io/secret-type in (repository,repo-creds)",
  },
  "gpg-keys": configMap("argocd-gpg-keys-cm"),
  "known-hosts": configMap("argocd-ssh-known-hosts-cm"),
  "tls-certs": configMap("argocd-tls-certs-cm"),
};

/** Which objects of its resource are of a kind, as queries of the Kubernetes API. */
export function selectionOf(kind: GitopsKind): {
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
} {
  const { labelSelector, name } = gitopsResources[kind];
  return { labelSelector, fieldSelector: name === undefined ? undefined : `metadata.name=${name}` };
}

function configMap(name: string): GitopsResource {
  return { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", name };
}
