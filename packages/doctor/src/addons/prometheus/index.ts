import type { Addon } from "../../catalogue/index.ts";
import type { Snapshot } from "../../snapshot/index.ts";
import { essentialEverywhere } from "../need.ts";
import { alertRoutesCheck, matcherStrategyCheck } from "./alert-checks.ts";
import { install } from "./install.ts";
import { operatorCheck, userWorkloadCheck } from "./operator-checks.ts";
import { answersCheck, podLabelsCheck } from "./query-checks.ts";
import { monitorsCheck, rulesCheck } from "./selector-checks.ts";
import { availableCheck, endpointCheck, retentionCheck, singleCheck, storageCheck } from "./server-checks.ts";

/** Under its operator, by itself, or as a provider's service. The operator comes first: it is what a chart marks. */
export const prometheus: Addon = {
  id: "prometheus",
  title: "Prometheus",
  need: essentialEverywhere,
  signals: {
    resources: ["prometheuses.monitoring.coreos.com", "alertmanagers.monitoring.coreos.com"],
    components: [
      { name: "operator", isEssential: false, images: ["prometheus-operator/prometheus-operator"] },
      {
        name: "server",
        isEssential: true,
        images: ["prometheus/prometheus"],
        madeBy: { component: "operator", resource: "prometheuses.monitoring.coreos.com" },
      },
      { name: "alertmanager", isEssential: false, images: ["prometheus/alertmanager"] },
    ],
    providerManaged: findProvider,
  },
  checks: [
    alertRoutesCheck,
    answersCheck,
    availableCheck,
    endpointCheck,
    matcherStrategyCheck,
    monitorsCheck,
    operatorCheck,
    podLabelsCheck,
    retentionCheck,
    rulesCheck,
    singleCheck,
    storageCheck,
    userWorkloadCheck,
  ],
  unlocks: ["metrics", "alerts"],
  alternatives: ["victoria-metrics"],
  install,
};

/** OpenShift's images have no names, only digests; Google and Azure have kinds of their own for what is scraped. */
function findProvider(snapshot: Snapshot): string | undefined {
  const platform = snapshot
    .listSeen("prometheuses.monitoring.coreos.com")
    .some(({ metadata }) => metadata.namespace === "openshift-monitoring");
  if (platform) return "OpenShift";
  if (snapshot.isServed("podmonitorings.monitoring.googleapis.com") === "yes") return "Google Managed Prometheus";
  if (snapshot.isServed("servicemonitors.azmonitoring.coreos.com") === "yes") return "Azure Monitor";
  return undefined;
}
