// Which addons get another version or other values, in which order, by whom. Pure: as with an installation, the plan that
// is shown is the one that is carried out.
import { type Addon, isOlder } from "../catalogue/index.ts";
import { installErrors } from "./errors.ts";
import type { InstalledChart } from "./installed-chart.ts";
import { mergeValues } from "./merge-values.ts";
import { type Mirrors, mirrored } from "./mirrors.ts";
import { orderAddons } from "./order.ts";
import type { InstallStep } from "./plan.ts";
import { isSame } from "./three-way/index.ts";

export interface UpgradeOptions {
  readonly wanted: readonly string[];
  readonly catalogue: readonly Addon[];
  /** By addon; what isn't in it isn't installed. */
  readonly installed: ReadonlyMap<string, InstalledChart>;
  /** Asked for, by addon; the catalogue's unless told. */
  readonly versions: ReadonlyMap<string, string>;
  /** Merged over those that are there. */
  readonly ownValues: ReadonlyMap<string, unknown>;
  readonly mirrors: Mirrors;
}

export interface UpgradePlan {
  readonly steps: readonly UpgradeStep[];
  readonly skipped: readonly { readonly addon: string; readonly why: string }[];
}

export interface UpgradeStep extends InstallStep {
  readonly from: InstalledChart;
  /** The person's own values for this upgrade, which `values` has merged. */
  readonly ownValues: unknown;
}

/** @throws {FairleadError} `ADDON_UNKNOWN`, `ADDON_NOT_INSTALLABLE`, `ADDON_NOT_INSTALLED`, `ADDON_CHART_OTHER` */
export function planUpgrade(options: UpgradeOptions): UpgradePlan {
  const { wanted, catalogue } = options;
  const skipped: { addon: string; why: string }[] = [];
  const steps: UpgradeStep[] = [];
  for (const { addon } of orderAddons({ wanted, catalogue, isThere: () => true })) {
    const step = toStep(addon, options);
    const why = whyNothing(step, options.versions.has(addon.id));
    if (why === undefined) steps.push(step);
    else skipped.push({ addon: addon.id, why });
  }
  return { steps, skipped };
}

function toStep({ id, title, install }: Addon, options: UpgradeOptions): UpgradeStep {
  const { installed, versions, ownValues, mirrors } = options;
  if (!install) throw installErrors.ADDON_NOT_INSTALLABLE({ addon: id });
  const from = installed.get(id);
  if (!from) throw installErrors.ADDON_NOT_INSTALLED({ addon: id });
  const { chart, namespace, release, way } = from;
  if (chart !== install.chart) throw installErrors.ADDON_CHART_OTHER({ addon: id, chart, expected: install.chart });
  const own = ownValues.get(id);
  const repository = mirrored(from.repository ?? install.repository, mirrors);
  return {
    addon: id,
    title,
    way,
    from,
    ownValues: own,
    chart: { chart, repository, version: versions.get(id) ?? install.version, namespace, release },
    values: own === undefined ? from.values : mergeValues(from.values, own),
  };
}

/** An upgrade that began and didn't end is made again, even where the version and values are the wanted ones. */
function whyNothing({ chart, from, values }: UpgradeStep, isAsked: boolean): string | undefined {
  if (!from.isSettled) return undefined;
  if (isOlder(chart.version, from.version) && !isAsked)
    return `it is at ${from.version} already, and the catalogue at ${chart.version}`;
  return chart.version === from.version && isSame(values, from.values)
    ? `it is at ${from.version} already, with these values`
    : undefined;
}
