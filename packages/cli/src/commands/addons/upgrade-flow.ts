// An upgrade as one command: steps in order, each of which waits for health; the first failure ends it. Values that are
// there already aren't in it: the agent takes those of a release from the release.
import type { FlowSpec, FlowStep } from "@fairlead/contract";
import { Fields } from "@fairlead/kernel";
import { stringify } from "yaml";
import { type HealthOptions, healthSeconds, toHelmChart } from "./to-flow.ts";
import type { ClusterUpgrade, PlannedUpgrade } from "./upgrade-plan.ts";

export function toUpgradeFlow({ steps }: Pick<ClusterUpgrade, "steps">, options: HealthOptions): FlowSpec {
  return {
    name: "addons",
    steps: steps.flatMap((step) => (step.way === "helm" ? [helmStep(step, options)] : argoSteps(step, options))),
  };
}

/** Helm sets changes by hand back, as the plan has said. */
function helmStep({ addon, chart, digest, ownValues }: PlannedUpgrade, options: HealthOptions): FlowStep {
  const timeoutSeconds = healthSeconds(options);
  return {
    id: addon,
    timeoutSeconds,
    helm: {
      release: chart.release,
      namespace: chart.namespace,
      chart: toHelmChart(chart, digest),
      reuseValues: true,
      forceConflicts: true,
      ...(ownValues !== undefined && { values: ownValues as Readonly<Record<string, unknown>> }),
      wait: { timeoutSeconds },
    },
  };
}

function argoSteps(step: PlannedUpgrade, options: HealthOptions): FlowStep[] {
  const { application } = step.from;
  const spec = new Fields(application).at("spec").raw as ApplicationSpec;
  const { chart, values } = step;
  const source = {
    ...spec.source,
    repoURL: chart.repository.replace(/^oci:\/\//, ""),
    targetRevision: chart.version,
    helm: { ...spec.source.helm, valuesObject: values },
  };
  return syncSteps({
    addon: step.addon,
    options,
    version: chart.version,
    application: {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      metadata: namesOf(application?.metadata),
      spec: { ...spec, source },
    },
    syncOptions: spec.syncPolicy?.syncOptions ?? [],
    isUpgrade: true,
  });
}

interface ApplicationSpec {
  readonly source: { readonly helm?: object };
  readonly syncPolicy?: { readonly syncOptions?: readonly string[] };
}

function namesOf(
  metadata: { readonly name: string; readonly namespace?: string; readonly labels?: object } | undefined,
) {
  const { name = "", namespace = "argocd", labels = {} } = metadata ?? {};
  const own = Object.entries(labels).filter(([label]) => label.startsWith("fairlead.dev/"));
  return { name, namespace, ...(own.length > 0 && { labels: Object.fromEntries(own) }) };
}

/**
 * Writes an application together with a sync. The old sync status and health say nothing about the new spec, so the
 * same write asks Argo CD to look again. Argo CD may sync once more by itself when ours has ended, so the steps wait
 * for no particular sync.
 */
export function syncSteps(request: {
  readonly addon: string;
  readonly application: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string; readonly namespace: string };
    readonly spec: object;
  };
  readonly version: string;
  readonly syncOptions: readonly string[];
  /** The application exists and may be syncing; hooks run, and what isn't rendered any more is deleted. */
  readonly isUpgrade: boolean;
  readonly options: HealthOptions;
}): FlowStep[] {
  const { addon, application, version, syncOptions, isUpgrade, options } = request;
  const { name, namespace } = application.metadata;
  const operation = {
    initiatedBy: { username: "fairlead" },
    sync: { revision: version, syncOptions, ...(isUpgrade ? { prune: true } : { syncStrategy: { apply: {} } }) },
  };
  const timeoutSeconds = healthSeconds(options);
  const wait = (id: string, until: object, seconds: number): FlowStep => ({
    id: `${addon}-${id}`,
    timeoutSeconds: seconds + 60,
    wait: {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Application",
      name,
      namespace,
      timeoutSeconds: seconds,
      until: until as { readonly field: string; readonly equals?: string },
    },
  });
  return [
    // A sync that is under way would take ours for a part of itself.
    ...(isUpgrade ? [wait("idle", { field: "operation", exists: false }, timeoutSeconds)] : []),
    {
      id: addon,
      manifests: {
        set: `addon-${addon}`,
        namespace,
        force: true,
        wait: false,
        manifests: stringify({
          ...application,
          metadata: { ...application.metadata, annotations: { [refresh]: "normal" } },
          operation,
        }),
      },
    },
    wait("seen", { field: `metadata.annotations["${refresh}"]`, exists: false }, answerSeconds),
    wait("ended", { field: "operation", exists: false }, timeoutSeconds),
    wait("synced", { field: "status.sync.status", equals: "Synced" }, answerSeconds),
    wait("healthy", { field: "status.health.status", equals: "Healthy" }, timeoutSeconds),
  ];
}

const refresh = "argocd.argoproj.io/refresh";
/** Argo CD looks at an application within a second or two, unless it is down. */
const answerSeconds = 120;
