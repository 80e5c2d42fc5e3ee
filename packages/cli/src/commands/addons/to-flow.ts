import type { FlowSpec, FlowStep } from "@fairlead/contract";
import { type InstallStep, toApplication } from "@fairlead/doctor";
import { stringify } from "yaml";
import type { ClusterPlan } from "./make-plan.ts";

/** A plan as one command: steps in order, each of which waits for health; the first failure ends it. */
export function toFlow({ steps, argo }: ClusterPlan): FlowSpec {
  return {
    name: "addons",
    steps: steps.flatMap((step) =>
      step.way === "helm" ? [helmStep(step)] : applicationSteps(step, toApplication(step, argo), argo.namespace),
    ),
  };
}

function helmStep({ addon, chart, values }: InstallStep): FlowStep {
  const { repository, version } = chart;
  return {
    id: addon,
    timeoutSeconds,
    helm: {
      release: chart.release,
      namespace: chart.namespace,
      createNamespace: true,
      chart: repository.startsWith("oci://")
        ? { oci: `${repository.replace(/\/$/, "")}/${chart.chart}`, version }
        : { repository, version, name: chart.chart },
      values: values as Readonly<Record<string, unknown>>,
      wait: { timeoutSeconds },
    },
  };
}

function applicationSteps({ addon }: InstallStep, application: unknown, namespace: string): FlowStep[] {
  return [
    { id: addon, manifests: { set: `addon-${addon}`, namespace, manifests: stringify(application) } },
    {
      id: `${addon}-healthy`,
      timeoutSeconds: timeoutSeconds + 60,
      wait: {
        ...{ apiVersion: "argoproj.io/v1alpha1", kind: "Application", name: addon, namespace, timeoutSeconds },
        until: { field: "status.health.status", equals: "Healthy" },
      },
    },
  ];
}

/** An addon that pulls large images, such as a GPU driver, takes its time. */
const timeoutSeconds = 1_200;
