import type { InstallStep } from "./plan.ts";

export interface ArgoPlace {
  readonly namespace: string;
  readonly project: string;
}

export interface AddonApplication {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly spec: Readonly<Record<string, unknown>> & {
    readonly syncPolicy: { readonly syncOptions: readonly string[]; readonly automated?: object };
  };
}

/**
 * The Argo CD Application that keeps a step's chart installed. Objects that it made stay when it is deleted, since it has
 * no finalizer: removing an addon is a step of its own.
 */
export function toApplication({ addon, chart, values }: InstallStep, argo: ArgoPlace): AddonApplication {
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

/**
 * The same for an adoption: by itself it changes nothing before it is told to. The chart's folder of CRDs stays as Helm
 * left it, since Helm never touches it again.
 */
export function toAdoptingApplication(step: InstallStep, argo: ArgoPlace): AddonApplication {
  const application = toApplication(step, argo);
  const { syncOptions } = application.spec.syncPolicy;
  return { ...application, spec: { ...withoutCrds(application.spec), syncPolicy: { syncOptions } } };
}

export function toAdoptedApplication(step: InstallStep, argo: ArgoPlace): AddonApplication {
  const application = toApplication(step, argo);
  return { ...application, spec: withoutCrds(application.spec) };
}

function withoutCrds(spec: AddonApplication["spec"]): AddonApplication["spec"] {
  const source = spec["source"] as { readonly helm: object };
  return { ...spec, source: { ...source, helm: { ...source.helm, skipCrds: true } } };
}
