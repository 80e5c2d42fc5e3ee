import type { InstallStep } from "./plan.ts";

/**
 * The Argo CD Application that keeps a step's chart installed. Objects that it made stay when it is deleted, since it has
 * no finalizer: removing an addon is a step of its own.
 */
export function toApplication(
  { addon, chart, values }: InstallStep,
  argo: { readonly namespace: string; readonly project: string },
): Readonly<Record<string, unknown>> {
  const { repository } = chart;
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Application",
    metadata: { name: addon, namespace: argo.namespace, labels: { "fairlead.dev/addon": addon } },
    spec: {
      project: argo.project,
      destination: { server: "https://kubernetes.default.svc", namespace: chart.namespace },
      source: {
        chart: chart.chart,
        // Argo CD names repositories of the OCI kind without their scheme.
        repoURL: repository.replace(/^oci:\/\//, ""),
        targetRevision: chart.version,
        helm: { releaseName: chart.release, valuesObject: values },
      },
      syncPolicy: {
        automated: { selfHeal: true },
        syncOptions: ["CreateNamespace=true", "ServerSideApply=true"],
      },
    },
  };
}
