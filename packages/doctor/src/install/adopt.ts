// Taking over what a person installed by Helm: by an application of Argo CD with the same chart, version and values, or by
// a revision of the hub's own. Nothing that runs may notice. Pure.
import { type Addon, compareVersions } from "../catalogue/index.ts";
import { installErrors } from "./errors.ts";
import type { InstalledChart } from "./installed-chart.ts";
import { mergeValues } from "./merge-values.ts";
import { type Mirrors, mirrored } from "./mirrors.ts";
import type { InstallStep, InstallWay } from "./plan.ts";
import type { ObjectDifference } from "./three-way/index.ts";

export interface AdoptionOptions {
  readonly addon: Addon;
  readonly installed: InstalledChart;
  /** Undefined where there is no Argo CD that works. */
  readonly argo: ArgoFacts | undefined;
  readonly way?: InstallWay | undefined;
  /** Merged over those that are there: to say what was changed by hand. */
  readonly ownValues: unknown;
  readonly mirrors: Mirrors;
}

export interface ArgoFacts {
  readonly version: string | undefined;
  /** The tracking method in `argocd-cm`; undefined where it isn't set. */
  readonly tracking: string | undefined;
}

export interface AdoptionStep extends InstallStep {
  readonly from: InstalledChart;
  readonly ownValues: unknown;
}

/** @throws {FairleadError} `ADDON_NOT_INSTALLABLE`, `ADDON_CHART_OTHER`, `ADDON_ADOPTION_TRACKING` */
export function planAdoption(options: AdoptionOptions): AdoptionStep {
  const { addon, installed: from, argo, ownValues, mirrors } = options;
  const { id, title, install } = addon;
  if (!install) throw installErrors.ADDON_NOT_INSTALLABLE({ addon: id });
  const { chart, version, namespace, release } = from;
  if (chart !== install.chart) throw installErrors.ADDON_CHART_OTHER({ addon: id, chart, expected: install.chart });
  const way = chooseWay(options);
  if (way === "argocd" && !tracksByAnnotation(argo)) throw installErrors.ADDON_ADOPTION_TRACKING();
  return {
    addon: id,
    title,
    way,
    from,
    ownValues,
    chart: { chart, version, namespace, release, repository: mirrored(install.repository, mirrors) },
    values: ownValues === undefined ? from.values : mergeValues(from.values, ownValues),
  };
}

/** Argo CD can't make itself. */
function chooseWay({ addon, argo, way }: AdoptionOptions): InstallWay {
  if (addon.id === "argocd") return "helm";
  return way ?? (argo ? "argocd" : "helm");
}

/** Versions before 3.0 track by a label that charts use as well. */
function tracksByAnnotation(argo: ArgoFacts | undefined): boolean {
  if (argo?.tracking !== undefined) return argo.tracking.startsWith("annotation");
  return argo?.version !== undefined && (compareVersions(argo.version, "3.0.0") ?? -1) >= 0;
}

/**
 * Lists the changes that an adoption would make, in words. It may make none. Two kinds of difference are no change:
 * fields that somebody has set and the chart doesn't, and fields whose new value is the one that somebody has set.
 */
export function findHarm(objects: readonly ObjectDifference[]): readonly string[] {
  return objects.flatMap(({ ref, is, fields }) => {
    if (is === "created") return [`${ref} isn't there`];
    if (is === "removed") return [`${ref} isn't rendered any more`];
    return fields.filter((field) => field.is !== "kept" && field.is !== "agreed").map(({ path }) => `${ref} ${path}`);
  });
}
