import type { FlowSpec, FlowStep, HelmSpec } from "@fairlead/contract";
import { type InstallStep, toApplication } from "@fairlead/doctor";
import { stringify } from "yaml";
import type { ClusterPlan } from "./make-plan.ts";

export interface HealthOptions {
  /** In milliseconds. An addon that pulls large images, such as a GPU driver, takes its time. */
  readonly healthyWithin: number;
}

export function healthSeconds({ healthyWithin }: HealthOptions): number {
  return Math.ceil(healthyWithin / 1_000);
}

/** A plan as one command: steps in order, each of which waits for health; the first failure ends it. */
export function toFlow({ steps, argo }: ClusterPlan, options: HealthOptions): FlowSpec {
  const seconds = healthSeconds(options);
  return {
    name: "addons",
    steps: steps.flatMap((step) =>
      step.way === "helm"
        ? [helmStep(step, seconds)]
        : applicationSteps(step, { application: toApplication(step, argo), namespace: argo.namespace, seconds }),
    ),
  };
}

/** With its digest where it is known, so that the agent installs what was looked at here and nothing else. */
export function toHelmChart(
  { repository, chart: name, version }: InstallStep["chart"],
  digest?: string,
): HelmSpec["chart"] {
  const pinned = { version, ...(digest !== undefined && { digest }) };
  return repository.startsWith("oci://")
    ? { oci: `${repository.replace(/\/$/, "")}/${name}`, ...pinned }
    : { repository, name, ...pinned };
}

function helmStep({ addon, chart, values }: InstallStep, timeoutSeconds: number): FlowStep {
  return {
    id: addon,
    timeoutSeconds,
    helm: {
      release: chart.release,
      namespace: chart.namespace,
      createNamespace: true,
      chart: toHelmChart(chart),
      values: values as Readonly<Record<string, unknown>>,
      wait: { timeoutSeconds },
    },
  };
}

function applicationSteps(
  { addon }: InstallStep,
  options: { readonly application: unknown; readonly namespace: string; readonly seconds: number },
): FlowStep[] {
  const { application, namespace, seconds: timeoutSeconds } = options;
  return [
    { id: addon, manifests: { set: `addon-${addon}`, namespace, manifests: stringify(application) } },
    {
      id: `${addon}-healthy`,
      timeoutSeconds: timeoutSeconds + 60,
      wait: {
        apiVersion: "argoproj.io/v1alpha1",
        kind: "Application",
        name: addon,
        namespace,
        timeoutSeconds,
        until: { field: "status.health.status", equals: "Healthy" },
      },
    },
  ];
}
