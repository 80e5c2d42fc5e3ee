import type { ChartInstall } from "../../catalogue/index.ts";

export const install: ChartInstall = {
  chart: "kube-prometheus-stack",
  repository: "https://prometheus-community.github.io/helm-charts",
  version: "81.2.0",
  versionRange: ">=69.0.0 <89.0.0",
  namespace: "prometheus",
  // The chart's selectors take what has the label `release` with this name.
  release: "prometheus",
  order: 0,
  after: [],
  values: ({ profile }) => ({
    grafana: { enabled: false },
    prometheus: {
      prometheusSpec: {
        retention: `${profile.prometheus.retentionDays}d`,
        retentionSize: "18GB",
        ...takeAll(["serviceMonitor", "podMonitor", "rule", "scrapeConfig", "probe"]),
        storageSpec: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "20Gi" } } },
          },
        },
      },
    },
    alertmanager: {
      alertmanagerSpec: {
        alertmanagerConfigMatcherStrategy: { type: "None" },
        alertmanagerConfigSelector: {},
        alertmanagerConfigNamespaceSelector: {},
      },
    },
    "kube-state-metrics": {
      metricLabelsAllowlist: [
        `pods=[${profile.kubeStateMetrics.podLabels.join(",")}]`,
        `nodes=[${profile.kubeStateMetrics.nodeLabels.join(",")}]`,
      ],
    },
  }),
};

/** An empty selector alone would be filled in by the chart with its release's label. */
function takeAll(kinds: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    kinds.flatMap((kind) => [
      [`${kind}SelectorNilUsesHelmValues`, false],
      [`${kind}NamespaceSelector`, {}],
    ]),
  );
}
