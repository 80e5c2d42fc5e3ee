export interface ApplicationOptions {
  readonly name: string;
  /** Argo CD's own unless told. */
  readonly namespace?: string;
  readonly repository: { readonly url: string };
  /** In the repository. */
  readonly path?: string;
  readonly revision?: string;
  /** The namespace that the objects go to, which is made. */
  readonly target?: string;
  /** The cluster that they go to: the one that Argo CD runs in unless told. */
  readonly server?: string;
  /** Its name at Argo CD, instead of its address. */
  readonly cluster?: string;
  /** Synced, pruned and healed without being asked. */
  readonly isAutomated?: boolean;
}

export interface Application {
  readonly apiVersion: "argoproj.io/v1alpha1";
  readonly kind: "Application";
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** An application to send to an API server. */
export function applicationOf(options: ApplicationOptions): Application {
  const { name, namespace = "argocd", repository, path = ".", revision = "main", isAutomated = false } = options;
  const { target = name, server = "https://kubernetes.default.svc", cluster } = options;
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name, namespace },
    spec: {
      project: "default",
      source: { repoURL: repository.url, path, targetRevision: revision },
      destination: { ...(cluster === undefined ? { server } : { name: cluster }), namespace: target },
      syncPolicy: {
        syncOptions: ["CreateNamespace=true"],
        ...(isAutomated && { automated: { prune: true, selfHeal: true } }),
      },
    },
  };
}
