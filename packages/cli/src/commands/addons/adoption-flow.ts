import type { FlowSpec } from "@fairlead/contract";
import { toAdoptedApplication, toAdoptingApplication } from "@fairlead/doctor";
import { stringify } from "yaml";
import type { ClusterAdoption } from "./adoption-plan.ts";
import { type HealthOptions, healthSeconds, toHelmChart } from "./to-flow.ts";
import { syncSteps } from "./upgrade-flow.ts";

export function toAdoptionFlow(plan: ClusterAdoption, options: HealthOptions): FlowSpec {
  return { name: "addons", steps: plan.step.way === "argocd" ? argoSteps(plan, options) : helmSteps(plan, options) };
}

/** The application is told to keep the objects as they are once it has them. */
function argoSteps({ step, argo }: ClusterAdoption, options: HealthOptions): FlowSpec["steps"] {
  const { addon, chart } = step;
  const application = toAdoptingApplication(step, argo);
  return [
    ...syncSteps({
      addon,
      application,
      options,
      version: chart.version,
      isUpgrade: false,
      syncOptions: application.spec.syncPolicy.syncOptions,
    }),
    {
      id: `${addon}-kept`,
      manifests: {
        set: `addon-${addon}`,
        namespace: argo.namespace,
        force: true,
        wait: false,
        manifests: stringify(toAdoptedApplication(step, argo)),
      },
    },
  ];
}

/** The values stay in the cluster: the agent takes them from the release. */
function helmSteps({ step, digest }: ClusterAdoption, options: HealthOptions): FlowSpec["steps"] {
  const { addon, chart, ownValues } = step;
  const timeoutSeconds = healthSeconds(options);
  return [
    {
      id: addon,
      timeoutSeconds,
      helm: {
        release: chart.release,
        namespace: chart.namespace,
        chart: toHelmChart(chart, digest),
        reuseValues: true,
        skipHooks: true,
        forceConflicts: true,
        wait: { timeoutSeconds },
        ...(ownValues !== undefined && { values: ownValues as Readonly<Record<string, unknown>> }),
      },
    },
  ];
}
