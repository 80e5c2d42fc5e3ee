// Which features a cluster has, by what was found of addons and checks. A feature is as good as the worst of the things
// it needs; of several addons that do the same job the best one counts.
import type { Installation } from "../detect/index.ts";
import {
  type FeatureId,
  type FeatureReason,
  type FeatureReport,
  type FeatureState,
  featureIds,
  featureNeeds,
} from "../features/index.ts";
import type { Hardware, HardwareFinding } from "./hardware.ts";
import type { AddonReport, CheckReport } from "./report.ts";

export interface ComputeOptions {
  readonly addons: readonly AddonReport[];
  /** The checks of the cluster as a whole. */
  readonly checks: readonly CheckReport[];
  /** Nodes that features need; not asked where it is left out. */
  readonly hardware?: Hardware;
}

export function computeFeatures(options: ComputeOptions): FeatureReport[] {
  return featureIds.map((feature) => {
    const parts = [
      ...featureNeeds[feature].map((group) => bestOf(group.map((id) => judgeAddon(options, feature, id)))),
      ...options.checks.map((report) => judgeReport(report, feature)),
      judgeHardware(options.hardware?.get(feature)),
    ];
    return { feature, state: worstState(parts), because: parts.flatMap(({ because }) => because) };
  });
}

interface Part {
  readonly state: FeatureState;
  readonly because: readonly FeatureReason[];
}

/** From the best to the worst. Something that isn't known may be there, so it is better than something that isn't. */
const ranks: readonly FeatureState[] = ["available", "degraded", "unknown", "blocked"];

function bestOf(parts: readonly Part[]): Part {
  return parts.toSorted((one, other) => ranks.indexOf(one.state) - ranks.indexOf(other.state))[0] ?? fine;
}

function worstState(parts: readonly Part[]): FeatureState {
  return ranks[Math.max(0, ...parts.map(({ state }) => ranks.indexOf(state)))] ?? "unknown";
}

const fine: Part = { state: "available", because: [] };

function judgeAddon({ addons }: ComputeOptions, feature: FeatureId, id: string): Part {
  const report = addons.find((addon) => addon.id === id);
  if (!report) return { state: "unknown", because: [{ addon: id, message: `Nobody looked for ${id}.` }] };
  const parts = [judgeState(report), ...report.checks.map((check) => judgeReport(check, feature))];
  return { state: worstState(parts), because: parts.flatMap(({ because }) => because) };
}

function judgeHardware(finding: HardwareFinding | undefined): Part {
  if (!finding || finding.state === "available") return fine;
  return { state: finding.state, because: [{ message: finding.message }] };
}

/** Misconfigured counts by the checks that fail: another feature of the addon may work. */
function judgeState({ id, state, message, installation, isNotRunning }: AddonReport): Part {
  const because = [{ addon: id, message }];
  if (isNotRunning) return { state: "unknown", because };
  switch (state) {
    case "healthy":
    case "provider-managed":
    case "misconfigured":
      return fine;
    case "absent":
    case "crds-only":
      return { state: "blocked", because };
    case "degraded":
      return { state: "degraded", because };
    // An addon that was found whole is unknown because of a check. That check counts for its own features alone.
    case "unknown":
      return isFoundWhole(installation) ? fine : { state: "unknown", because };
    default:
      return state satisfies never;
  }
}

function isFoundWhole({ presence, unseen }: Installation): boolean {
  return presence.is !== "unknown" && unseen === undefined;
}

function judgeReport({ check, verdict }: CheckReport, feature: FeatureId): Part {
  if (!check.features.includes(feature)) return fine;
  const because = [{ check: check.id, message: verdict.message }];
  const blocks = check.severity !== "recommended";
  switch (verdict.is) {
    case "pass":
      return fine;
    case "warn":
      return { state: "degraded", because };
    case "fail":
      return { state: blocks ? "blocked" : "degraded", because };
    case "unknown":
      return blocks ? { state: "unknown", because } : fine;
    default:
      return verdict satisfies never;
  }
}
