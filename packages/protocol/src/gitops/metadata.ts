import type { CarriedMetadata, GitopsMetadata } from "./objects.ts";

/**
 * Takes the metadata that goes to the other side. Owner references, managed fields and the API server's own fields mean
 * something in one cluster only. Last-applied is kubectl's, and refreshes are operations. Stamps and the memory of
 * notifications belong to the side that they are on.
 */
export function carryMetadata(metadata: GitopsMetadata): CarriedMetadata {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !staysBehind(name));
  return {
    name: metadata.name,
    namespace: metadata.namespace,
    labels: metadata.labels ?? {},
    annotations: Object.fromEntries(annotations),
    finalizers: metadata.finalizers ?? [],
    isDeleting: metadata.deletionTimestamp !== undefined,
  };
}

/** The annotations that an object gets when `carried` is written over it: what stays behind stays as it is there. */
export function mergeAnnotations(
  carried: Readonly<Record<string, string>>,
  there: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const own = Object.entries(there).filter(([name]) => staysBehind(name));
  return { ...carried, ...Object.fromEntries(own) };
}

export function staysBehind(annotation: string): boolean {
  return sideAnnotations.has(annotation) || ourAnnotation.test(annotation);
}

/** Argo CD's for what an application deploys. It adds others by itself, such as those for hooks after a deletion. */
export function isCarriedFinalizer(name: string): boolean {
  return name.startsWith("resources-finalizer.argocd.argoproj.io");
}

export const refreshAnnotation = "argocd.argoproj.io/refresh";
export const hydrateAnnotation = "argocd.argoproj.io/hydrate";

const ourAnnotation = /^(?:[a-z0-9.-]+\.)?fairlead\.dev\/|^argocd-agent\.argoproj-labs\.io\//;
const sideAnnotations: ReadonlySet<string> = new Set([
  refreshAnnotation,
  hydrateAnnotation,
  "kubectl.kubernetes.io/last-applied-configuration",
  "notified.notifications.argoproj.io",
  "argocd.argoproj.io/source-uid",
  "argocd.argoproj.io/principal-uid",
]);
