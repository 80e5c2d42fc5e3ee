// Which addons are installed, in which order, by which way and with which values. Pure: nothing is asked and nothing is
// done here; a plan is shown to a person, and the same plan is then carried out.
import type { Addon, ChartInstall } from "../catalogue/index.ts";
import type { ClusterType } from "../cluster-type/index.ts";
import type { Profile } from "../profiles/index.ts";
import type { AddonReport } from "../report/index.ts";
import { installErrors } from "./errors.ts";
import { mergeValues } from "./merge-values.ts";
import { type Mirrors, mirrored } from "./mirrors.ts";
import { orderAddons } from "./order.ts";

export interface PlanOptions {
  /** Ids of addons, in any order. */
  readonly wanted: readonly string[];
  readonly catalogue: readonly Addon[];
  readonly clusterType: ClusterType;
  readonly profile: Profile;
  /** The findings on each addon. An addon that isn't named is taken for absent. */
  readonly found: readonly AddonReport[];
  /** A person's own values, by addon; they are merged over the catalogue's. */
  readonly ownValues: ReadonlyMap<string, unknown>;
  readonly mirrors: Mirrors;
  /** `argocd` where Argo CD is healthy, unless told. */
  readonly way?: InstallWay;
}

export type InstallWay = "argocd" | "helm";

export interface InstallPlan {
  readonly steps: readonly InstallStep[];
  /** Wanted, and nothing to do. */
  readonly skipped: readonly { readonly addon: string; readonly why: string }[];
}

export interface InstallStep {
  readonly addon: string;
  readonly title: string;
  readonly way: InstallWay;
  /** With the repository of the mirror. */
  readonly chart: Pick<ChartInstall, "chart" | "repository" | "version" | "namespace" | "release">;
  readonly values: unknown;
  /** Named by nobody: another addon needs it. */
  readonly neededBy?: string;
}

/** @throws {FairleadError} `ADDON_UNKNOWN`, `ADDON_NOT_INSTALLABLE`, `ADDON_UNSUPPORTED`, `ADDON_ORDER_CIRCULAR` */
export function planInstall(options: PlanOptions): InstallPlan {
  const { wanted, catalogue, clusterType } = options;
  const ordered = orderAddons({ wanted, catalogue, isThere: (id) => isThere(reportOf(options, id)) });
  const skipped: { addon: string; why: string }[] = [];
  const steps: InstallStep[] = [];
  for (const { addon, neededBy } of ordered) {
    const report = reportOf(options, addon.id);
    if (report && report.state !== "absent" && report.state !== "crds-only") {
      skipped.push({ addon: addon.id, why: `it is ${report.state}: ${report.message}` });
      continue;
    }
    if (!addon.need[clusterType]) throw installErrors.ADDON_UNSUPPORTED({ addon: addon.id, type: clusterType });
    if (!addon.install) throw installErrors.ADDON_NOT_INSTALLABLE({ addon: addon.id });
    steps.push(toStep({ ...options, addon, install: addon.install, neededBy, hasArgo: willHaveArgo(options, steps) }));
  }
  return { steps, skipped };
}

function reportOf({ found }: PlanOptions, id: string): AddonReport | undefined {
  return found.find((report) => report.id === id);
}

function isThere(report: AddonReport | undefined): boolean {
  return report?.state === "healthy" || report?.state === "provider-managed" || report?.state === "misconfigured";
}

/** Argo CD is there already, or this plan has installed it by the time of the next step. */
function willHaveArgo(options: PlanOptions, before: readonly InstallStep[]): boolean {
  return isThere(reportOf(options, "argocd")) || before.some(({ addon }) => addon === "argocd");
}

function toStep(
  options: PlanOptions & {
    readonly addon: Addon;
    readonly install: ChartInstall;
    readonly neededBy: string | undefined;
    readonly hasArgo: boolean;
  },
): InstallStep {
  const { addon, install, neededBy, hasArgo, clusterType, profile, ownValues, mirrors } = options;
  const { chart, repository, version, namespace, release } = install;
  const values = install.values({ clusterType, profile });
  const own = ownValues.get(addon.id);
  return {
    addon: addon.id,
    title: addon.title,
    // Argo CD can't make itself.
    way: addon.id === "argocd" ? "helm" : (options.way ?? (hasArgo ? "argocd" : "helm")),
    chart: { chart, repository: mirrored(repository, mirrors), version, namespace, release },
    values: own === undefined ? values : mergeValues(values, own),
    ...(neededBy !== undefined && { neededBy }),
  };
}
