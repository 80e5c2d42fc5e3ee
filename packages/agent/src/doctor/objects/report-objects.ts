// Turns a report on a cluster into objects: one for each addon, check, feature, gateway and node pool, and one for the
// whole.
import type { AddonReport, CheckReport, Report } from "@fairlead/doctor";
import type { ObservedKind, ObservedObject } from "../../observe/index.ts";
import { addonKind, checkKind, examinationKind, featureKind, gatewayKind, nodePoolKind } from "../kinds.ts";
import { boundEvidence, boundFix, boundText } from "./bound.ts";
import { describeExamination } from "./describe-examination.ts";
import { describeGateway, describeNodePool } from "./describe-places.ts";
import type { ExaminedWith } from "./examined-with.ts";
import { keepValues } from "./keep-values.ts";
import { type OwnContent, toOwnObject } from "./own-object.ts";

export interface ReportObjectsOptions {
  readonly report: Report;
  readonly examinedWith: ExaminedWith;
  readonly clusterUid: string;
  readonly envValues: "keep" | "mask";
}

export function toReportObjects(options: ReportObjectsOptions): ReadonlyMap<ObservedKind, readonly ObservedObject[]> {
  const { report, clusterUid } = options;
  const toObjects = (kind: ObservedKind, contents: readonly OwnContent[]): readonly ObservedObject[] =>
    contents.slice(0, maxObjects).map((content) => toOwnObject(kind, content, clusterUid));
  const checks = [
    ...report.addons.flatMap((addon) => addon.checks.map((check) => describeCheck(check, options, addon.id))),
    ...report.checks.map((check) => describeCheck(check, options)),
  ];
  const contents: readonly (readonly [ObservedKind, readonly OwnContent[]])[] = [
    [addonKind, report.addons.map((addon) => describeAddon(addon, options))],
    [checkKind, checks],
    [featureKind, report.features.map((feature) => describeFeature(feature, options))],
    [gatewayKind, report.gateways.map((gateway) => describeGateway(gateway, options.examinedWith))],
    [nodePoolKind, report.nodePools.map((pool) => describeNodePool(pool, options.examinedWith))],
    [examinationKind, [describeExamination(report, options.examinedWith)]],
  ];
  return new Map(contents.map(([kind, some]) => [kind, toObjects(kind, some)]));
}

function describeAddon(addon: AddonReport, { examinedWith }: ReportObjectsOptions): OwnContent {
  const { id, title, need, state, message, installation } = addon;
  const { version, provenance, components } = installation;
  const workloads = components.flatMap(({ workloads: own }) => own.map(({ ref }) => ref));
  return {
    name: id,
    labels: { [label("state")]: state, [label("need")]: need },
    spec: { title, need },
    status: {
      state,
      message: boundText(message),
      ...(version !== undefined && { version: boundText(version, 64) }),
      ...(provenance && { provenance: boundMembers(provenance) }),
      ...(workloads.length > 0 && { workloads: workloads.slice(0, maxWorkloads) }),
      ...conditions(isReady(addon), message),
      examinedWith,
    },
  };
}

/** Undefined where nothing is wrong and nothing is right: nobody needs it, or nobody knows. */
function isReady({ state, need }: AddonReport): boolean | undefined {
  switch (state) {
    case "healthy":
    case "provider-managed":
      return true;
    case "degraded":
    case "misconfigured":
      return false;
    case "absent":
    case "crds-only":
      return need === "essential" ? false : undefined;
    case "unknown":
      return undefined;
    default:
      return state satisfies never;
  }
}

function describeCheck({ check, verdict }: CheckReport, options: ReportObjectsOptions, addon?: string): OwnContent {
  const { examinedWith } = options;
  const { id, title, severity, features } = check;
  const { is, message, evidence, ...rest } = keepValues(verdict, options);
  const hasPassed = is === "pass" ? true : is === "fail" ? false : undefined;
  return {
    name: id,
    labels: {
      [label("verdict")]: is,
      [label("severity")]: severity,
      ...(addon !== undefined && { [label("addon")]: addon }),
    },
    spec: { ...(addon !== undefined && { addon }), title, severity, features },
    status: {
      verdict: is,
      message: boundText(message),
      evidence: boundEvidence(evidence),
      ...boundFix("fix" in rest ? rest.fix : undefined),
      ...conditions(hasPassed, message),
      examinedWith,
    },
  };
}

function describeFeature(
  { feature, state, because }: Report["features"][number],
  { examinedWith }: ReportObjectsOptions,
): OwnContent {
  const reasons = because.slice(0, maxReasons).map((reason) => ({ ...reason, message: boundText(reason.message) }));
  return {
    name: feature,
    labels: { [label("state")]: state },
    spec: {},
    status: { state, because: reasons, examinedWith },
  };
}

/** As many controllers say it, so that health is judged as for any other kind. */
function conditions(isFine: boolean | undefined, message: string): { readonly conditions?: readonly unknown[] } {
  if (isFine === undefined) return {};
  return { conditions: [{ type: "Ready", status: isFine ? "True" : "False", message: boundText(message) }] };
}

function boundMembers(provenance: object): unknown {
  return Object.fromEntries(
    Object.entries(provenance).map(([name, value]) => [
      name,
      typeof value === "string" ? boundText(value, 256) : value,
    ]),
  );
}

function label(name: string): string {
  return `fairlead.dev/${name}`;
}

const maxObjects = 1_000;
const maxWorkloads = 16;
const maxReasons = 16;
