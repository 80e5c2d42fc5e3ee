import { type Release, readRelease } from "@fairlead/kube";
import { fitResult } from "../../manifests/fit-result.ts";
import { digestOfPlan } from "../../plan-digest.ts";
import type { PlanResult } from "../../types.ts";
import { upgradeArguments } from "../arguments.ts";
import { type Begun, describeCommand, releaseBusy } from "../begin.ts";
import { deployedOf } from "../earlier.ts";
import { helmErrors } from "../errors.ts";
import { explainFailure } from "../explain.ts";
import type { Prepared } from "../prepare-upgrade.ts";
import type { UpgradeAction } from "../types.ts";
import { appliesOnClient } from "./applies-on-client.ts";
import { compareLive } from "./compare-live.ts";
import { digestSecret } from "./digest-secret.ts";

export async function planUpgrade(begun: Begun, action: UpgradeAction, prepared: Prepared): Promise<PlanResult> {
  const { task, store, heads, standing } = begun;
  const { release, namespace } = task.spec;
  // Helm plans nothing over it. A run repairs it first.
  if (standing.type === "broken") throw releaseBusy(task.spec, standing.head);
  const latest = heads.at(-1);
  const head = heads.find(({ revision }) => revision === deployedOf(heads));
  const before = head && (await store.open(head));
  const rendered = await render(begun, action, { prepared, before });
  const objects = await compareLive(begun, {
    ...{ before: before?.manifest ?? "", after: rendered.manifest },
    ...{ isForced: action.forceConflicts, makesNamespace: action.createNamespace },
    isClientSide: appliesOnClient(begun, { before, isForced: action.forceConflicts }),
  });
  const events = before === undefined ? ["pre-install", "post-install"] : ["pre-upgrade", "post-upgrade"];
  const hooks = task.spec.skipHooks
    ? []
    : rendered.hooks.filter((hook) => hook.events.some((each) => events.includes(each)));
  const { appVersion, ...chart } = rendered.chart;
  const failures = objects.filter(({ did }) => did === "failed").length;
  const json = {
    ...{ release, namespace, revision: (latest?.revision ?? 0) + 1 },
    chart: { ...chart, ...(appVersion && { appVersion }), digest: prepared.chart.digest },
    ...(before && { from: { revision: before.revision, chart: before.chart } }),
    ...fitResult(objects, maxObjectBytes),
    hooks: hooks.map(({ kind, name, events: of }) => ({ kind, name, events: of })),
  };
  const isSameChart = before?.chart.name === chart.name && before.chart.version === chart.version;
  const isEmpty =
    before !== undefined &&
    latest?.revision === before.revision &&
    isSameChart &&
    hooks.length === 0 &&
    objects.every(({ did }) => did === "unchanged" || did === "kept");
  const hidden = digestSecret(
    prepared.values,
    rendered.manifest,
    rendered.hooks.map(({ manifest }) => manifest),
  );
  return {
    json,
    digest: digestOfPlan({ ...task.spec, action: { ...action, chart: prepared.chart.digest } }, json, hidden),
    isEmpty,
    ...(failures > 0 && {
      failure: helmErrors.HELM_PLAN_REFUSED({ count: failures, total: objects.length }),
    }),
  };
}

async function render(
  { task, helm }: Begun,
  action: UpgradeAction,
  { prepared, before }: { readonly prepared: Prepared; readonly before: Release | undefined },
): Promise<Release> {
  const { spec } = task;
  const args = upgradeArguments({
    ...{ major: helm.major, spec, action, description: describeCommand(task), isDryRun: true },
    ...{ chartPath: prepared.chart.path, isClientSide: before?.isClientSide ?? false },
  });
  const end = await helm.run({ args, stdin: JSON.stringify(prepared.values), isRead: true });
  if (end.exitCode !== 0) {
    task.signal.throwIfAborted();
    throw explainFailure({ ...end, spec, hooks: [], unready: [] });
  }
  const release = readRelease(parse(end.stdout));
  if (release === undefined) throw helmErrors.HELM_MANIFEST_UNREADABLE({ what: "helm's answer isn't a release" });
  return release;
}

/** Helm says something before it where a release is installed first. */
function parse(stdout: Buffer): unknown {
  const text = stdout.toString("utf8");
  try {
    return JSON.parse(text.slice(Math.max(0, text.indexOf("{"))));
  } catch {
    return undefined;
  }
}

const maxObjectBytes = 800 * 1024;
