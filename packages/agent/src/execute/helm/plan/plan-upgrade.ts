import type { Release } from "@fairlead/kube";
import { fitResult } from "../../manifests/fit-result.ts";
import { digestOfPlan } from "../../plan-digest.ts";
import type { PlanResult } from "../../types.ts";
import { upgradeArguments } from "../arguments.ts";
import { type Begun, describeCommand, releaseBusy } from "../begin.ts";
import { deployedOf } from "../earlier.ts";
import { helmErrors } from "../errors.ts";
import { explainFailure, readWords } from "../explain.ts";
import { keepRendering } from "../kept/kept-rendering.ts";
import { manifestOf, type Rendering, readRendering, splitCrds } from "../kept/rendering.ts";
import type { Prepared } from "../prepare-upgrade.ts";
import type { HelmRun } from "../program/open-helm.ts";
import type { UpgradeAction } from "../types.ts";
import { appliesOnClient } from "./applies-on-client.ts";
import { compareCrds } from "./compare-crds.ts";
import { compareLive } from "./compare-live.ts";
import { digestSecret } from "./digest-secret.ts";
import { showHooks } from "./show-hooks.ts";

/** Renders the chart, and keeps what people are asked about. */
export async function planUpgrade(begun: Begun, action: UpgradeAction, prepared: Prepared): Promise<PlanResult> {
  const rendering = await render(begun, action, prepared);
  const planned = await planRendering(begun, action, rendering);
  const { task } = begun;
  const isAsked = !task.isDryRun && planned.failure === undefined && (!planned.isEmpty || task.isStep === true);
  if (isAsked) await keepRendering(task, rendering);
  return planned;
}

/** Compares it with the cluster as it is now. */
export async function planRendering(begun: Begun, action: UpgradeAction, rendering: Rendering): Promise<PlanResult> {
  const { task, heads, standing } = begun;
  const { release, namespace } = task.spec;
  // Helm plans nothing over it. A run repairs it first.
  if (standing.type === "broken") throw releaseBusy(task.spec, standing.head);
  const latest = heads.at(-1);
  const before = await openDeployed(begun);
  const objects = await compareLive(begun, {
    before: before?.manifest ?? "",
    after: manifestOf(rendering),
    isForced: action.forceConflicts,
    makesNamespace: action.createNamespace,
    isClientSide: appliesOnClient(begun, { before, isForced: action.forceConflicts }),
  });
  const crds = await compareCrds(begun, { crds: rendering.crds, isForced: action.forceConflicts });
  const events = before === undefined ? ["pre-install", "post-install"] : ["pre-upgrade", "post-upgrade"];
  const hooks = task.spec.skipHooks
    ? []
    : rendering.hooks.filter((hook) => hook.events.some((each) => events.includes(each)));
  const chart = chartOf(rendering);
  const failures = [...crds, ...objects].filter(({ did }) => did === "failed").length;
  const json = {
    release,
    namespace,
    revision: (latest?.revision ?? 0) + 1,
    chart: { ...chart, digest: rendering.chartDigest },
    ...(before && { from: { revision: before.revision, chart: before.chart } }),
    ...(crds.length > 0 && { crds: fitResult(crds, maxCrdBytes).objects }),
    ...fitResult(objects, maxObjectBytes),
    hooks: showHooks(hooks),
  };
  const isSameChart = before?.chart.name === chart.name && before.chart.version === chart.version;
  const isEmpty =
    before !== undefined &&
    latest?.revision === before.revision &&
    isSameChart &&
    hooks.length === 0 &&
    objects.every(({ did }) => did === "unchanged" || did === "kept");
  const { chart: _chart, ...asked } = action;
  return {
    json,
    digest: digestOfPlan({ ...task.spec, action: asked }, json, digestSecret(rendering)),
    isEmpty,
    ...(failures > 0 && {
      failure: helmErrors.HELM_PLAN_REFUSED({ count: failures, total: crds.length + objects.length }),
    }),
  };
}

async function openDeployed({ store, heads }: Begun): Promise<Release | undefined> {
  const head = heads.find(({ revision }) => revision === deployedOf(heads));
  return head && (await store.open(head));
}

function chartOf({ metadata }: Rendering): { name: string; version: string; appVersion?: string } {
  const { name, version, appVersion } = metadata;
  return { name: String(name), version: String(version), ...(appVersion ? { appVersion: String(appVersion) } : {}) };
}

async function render(begun: Begun, action: UpgradeAction, { chart, values }: Prepared): Promise<Rendering> {
  const { task } = begun;
  const before = await openDeployed(begun);
  const args = upgradeArguments({
    major: begun.helm.major,
    spec: task.spec,
    action,
    description: describeCommand(task),
    isDryRun: true,
    chartPath: chart.path,
    isClientSide: before?.isClientSide ?? false,
  });
  const answer = parse(await ask(begun, { args, stdin: JSON.stringify(values) }));
  const crds = await findCrds(begun, action, chart.path);
  return readRendering(answer, { values, crds, chartDigest: chart.digest });
}

/** Those of the charts that it depends on are among them. */
async function findCrds(begun: Begun, { skipCrds }: UpgradeAction, chartPath: string): Promise<readonly string[]> {
  const latest = begun.heads.at(-1);
  const isFirst = latest === undefined || latest.status === "uninstalled";
  if (skipCrds || !isFirst) return [];
  return splitCrds((await ask(begun, { args: ["show", "crds", chartPath] })).toString("utf8"));
}

async function ask({ task, helm }: Begun, how: Pick<HelmRun, "args" | "stdin">): Promise<Buffer> {
  const end = await helm.run({ ...how, isRead: true });
  if (end.exitCode === 0) return end.stdout;
  task.signal.throwIfAborted();
  throw explainFailure({ ...end, ...readWords(task, end), spec: task.spec, hooks: [], unready: [] });
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

const maxObjectBytes = 600 * 1024;
const maxCrdBytes = 100 * 1024;
