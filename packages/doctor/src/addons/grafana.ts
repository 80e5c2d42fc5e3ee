import type { Addon } from "../catalogue/index.ts";
import { optionalEverywhere } from "./need.ts";

/** Nothing depends on it: it shows dashboards to people. */
export const grafana: Addon = {
  id: "grafana",
  title: "Grafana",
  need: optionalEverywhere,
  signals: {
    resources: [],
    components: [{ name: "server", isEssential: true, images: ["grafana/grafana", "grafana/grafana-enterprise"] }],
  },
  checks: [],
  unlocks: ["dashboards"],
  install: {
    chart: "grafana",
    repository: "https://grafana.github.io/helm-charts",
    version: "10.1.4",
    versionRange: ">=8.0.0 <13.0.0",
    namespace: "grafana",
    release: "grafana",
    order: 0,
    after: ["prometheus"],
    values: () => ({
      datasources: {
        "datasources.yaml": {
          apiVersion: 1,
          datasources: [
            {
              name: "Prometheus",
              type: "prometheus",
              url: "http://prometheus-operated.prometheus.svc:9090",
              isDefault: true,
            },
          ],
        },
      },
    }),
  },
};
