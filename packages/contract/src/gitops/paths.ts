import type { ArgoObjectKind } from "./argo-objects.ts";

export const gitopsPaths: {
  settings(cluster: string): string;
  readonly statuses: string;
  status(cluster: string): string;
  confirmDeletions(cluster: string): string;
  readonly applications: string;
  application(of: ApplicationName): string;
  syncApplication(of: ApplicationName): string;
  refreshApplication(of: ApplicationName): string;
  terminateApplication(of: ApplicationName): string;
  rollbackApplication(of: ApplicationName): string;
  applicationHistory(of: ApplicationName): string;
  argoObjects(kind: ArgoObjectKind): string;
  argoObject(of: ArgoObjectName): string;
} = {
  settings: (cluster) => `/api/v1/clusters/${encodeURIComponent(cluster)}/gitops`,
  statuses: "/api/v1/gitops",
  status: (cluster) => `/api/v1/clusters/${encodeURIComponent(cluster)}/gitops/status`,
  confirmDeletions: (cluster) => `/api/v1/clusters/${encodeURIComponent(cluster)}/gitops/confirm`,
  applications: "/api/v1/applications",
  application: (of) => applicationPath(of),
  syncApplication: (of) => `${applicationPath(of)}/sync`,
  refreshApplication: (of) => `${applicationPath(of)}/refresh`,
  terminateApplication: (of) => `${applicationPath(of)}/terminate`,
  rollbackApplication: (of) => `${applicationPath(of)}/rollback`,
  applicationHistory: (of) => `${applicationPath(of)}/history`,
  argoObjects: (kind) => `/api/v1/argo/${kind}`,
  argoObject: ({ kind, name }) => `/api/v1/argo/${kind}/${encodeURIComponent(name)}`,
};

export interface ApplicationName {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

export interface ArgoObjectName {
  readonly kind: ArgoObjectKind;
  readonly name: string;
}

function applicationPath({ cluster, namespace, name }: ApplicationName): string {
  const [inCluster, inNamespace, named] = [cluster, namespace, name].map(encodeURIComponent);
  return `/api/v1/clusters/${inCluster}/applications/${inNamespace}/${named}`;
}
