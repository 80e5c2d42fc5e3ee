// Says everything of one cluster: which addons it has and whether they are set up right, and which features that leaves.
// Pure: the same snapshot, profile and time give the same report, whatever the order of objects.
import { catalogue } from "../addons/index.ts";
import type { Addon } from "../catalogue/index.ts";
import { type Check, type CheckInput, type ClusterInput, judgeCheck, type Verdict } from "../checks/index.ts";
import { type ClusterType, findClusterType, type TypeFinding } from "../cluster-type/index.ts";
import { detect, type Installation, WorkloadIndex } from "../detect/index.ts";
import { domainsOf, gatewayChecks, readGateways, recordedPreferences } from "../gateways/index.ts";
import { poolChecks, readGpus, readNodePools } from "../pools/index.ts";
import type { GatewayPreference, Profile } from "../profiles/index.ts";
import type { Snapshot } from "../snapshot/index.ts";
import { readStorageClasses, storageChecks } from "../storage/index.ts";
import { readWorkloads } from "../workloads/index.ts";
import { computeFeatures } from "./compute-features.ts";
import { findHardware } from "./hardware.ts";
import type { AddonReport, CheckReport, Report } from "./report.ts";
import { stateOf } from "./state.ts";

export interface ExamineOptions {
  readonly snapshot: Snapshot;
  readonly profile: Profile;
  /** Instead of the type that is found. */
  readonly clusterType?: ClusterType;
  readonly now: Date;
  /** Which gateway people chose where several serve the same host. */
  readonly gatewayPreferences?: readonly GatewayPreference[];
  /** The addons to look for instead of the catalogue's; tests give their own. */
  readonly addons?: readonly Addon[];
}

export function examineCluster(options: ExamineOptions): Report {
  const { snapshot, profile, now, addons = catalogue } = options;
  const clusterType = typeOf(options);
  const gateways = readGateways(snapshot);
  const gatewayPreferences = [...(options.gatewayPreferences ?? []), ...recordedPreferences(gateways)];
  const cluster: ClusterInput = { snapshot, profile, clusterType: clusterType.type, now, gatewayPreferences };
  const workloads = new WorkloadIndex(readWorkloads(snapshot));
  const reports = addons
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((addon) => {
      const installation = detect({ signals: addon.signals, snapshot, workloads });
      return reportAddon(addon, { ...cluster, installation });
    });
  const checks = judgeAll([...gatewayChecks, ...poolChecks, ...storageChecks], (check) => judgeCheck(check, cluster));
  const nodePools = readNodePools(snapshot, profile.nodePools);
  const gpus = readGpus(snapshot);
  return {
    profile: profile.name,
    clusterType,
    addons: reports,
    checks,
    features: computeFeatures({ addons: reports, checks, hardware: findHardware({ snapshot, gpus, nodePools }) }),
    gateways,
    domains: domainsOf(gateways, { preferences: gatewayPreferences, baseDomains: profile.baseDomains }),
    nodePools,
    gpus,
    storageClasses: readStorageClasses(snapshot),
    hidden: snapshot.hidden(),
  };
}

function typeOf({ snapshot, clusterType }: ExamineOptions): TypeFinding {
  return clusterType === undefined
    ? findClusterType(snapshot)
    : { type: clusterType, isOverridden: true, evidence: [] };
}

function reportAddon(addon: Addon, input: CheckInput): AddonReport {
  const { installation, clusterType } = input;
  const judged = isThere(installation) ? judgeAll(addon.checks, (check) => judgeCheck(check, input)) : [];
  const checks = judged.map((report) => asFarAsSeen(report, installation));
  return {
    id: addon.id,
    title: addon.title,
    need: addon.need[clusterType] ?? "unsupported",
    ...stateOf({ addon, installation, checks }),
    installation,
    checks,
  };
}

function isThere({ presence }: Installation): boolean {
  return presence.is === "installed" || presence.is === "provider-managed";
}

/** A check passes the workloads that were found. Others, which nobody could see, may be set up otherwise. */
function asFarAsSeen({ check, verdict }: CheckReport, { unseen }: Installation): CheckReport {
  if (verdict.is !== "pass" || unseen === undefined) return { check, verdict };
  return { check, verdict: { ...verdict, is: "unknown", message: `${verdict.message} But ${unseen}.` } };
}

/** A check of the cluster as a whole is one of any kind; it only wants to know less. */
function judgeAll<Each extends Check>(
  checks: readonly Each[],
  judge: (check: Each) => Verdict | undefined,
): CheckReport[] {
  return checks
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .flatMap((check) => {
      const verdict = judge(check);
      return verdict ? [{ check, verdict }] : [];
    });
}
