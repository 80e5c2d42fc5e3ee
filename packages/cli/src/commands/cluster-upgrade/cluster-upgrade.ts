// `cluster upgrade`: the agents' versions beside the hub's, and a new version of them, wave by wave.
import type { ClusterDetail } from "@fairlead/contract";
import { Fields } from "@fairlead/kernel";
import type { CommandContext } from "../../context.ts";
import { lastLine, runProgram } from "../../programs/index.ts";
import { attachErrors, checkPrograms, isMissingFolder } from "../attach/index.ts";
import { confirm } from "../confirm.ts";
import { readTarget } from "../runs/index.ts";
import { upgradeErrors } from "./errors.ts";
import { lookAtCluster, openClusterTarget } from "./look-at-cluster.ts";
import { toChartArguments, type UpgradeOptions } from "./options.ts";
import { type Goal, judgeSeen, judgeUnseen, type PlannedCluster, type PlannedUpgrade, upgradesOf } from "./plan.ts";
import { mapAFew, readFleet, toSeen } from "./read-fleet.ts";
import { runInWaves } from "./run-waves.ts";
import { describePlan, describeVersions, type Plan, standingOf, toDocument } from "./text.ts";
import { upgradeOne } from "./upgrade-one.ts";
import { compareAgent, isSupported } from "./versions.ts";
import { toWaves } from "./waves.ts";

export async function upgradeClusters(context: CommandContext, options: UpgradeOptions): Promise<void> {
  const { output, signal, terminal } = context;
  const client = await context.hub();
  const { version: hub } = await client.version({ signal });
  if (options.chart === undefined) return await showVersions(context, hub, options);
  const goal = await readGoal(context, options);
  if (!isSupported(compareAgent(goal.version, hub)))
    throw upgradeErrors.CLI_UPGRADE_TOO_FAR({ version: goal.version, hub });
  const fleet = await readFleet(client, { target: readTarget(options), signal });
  const plan = await makePlan(context, { fleet, goal, options });
  if (options.dryRun) return output.answer(toDocument(plan), () => describePlan(context, plan));
  output.remark(describePlan(context, plan));
  requireUsable(plan, options);
  const count = plan.waves.flat().length;
  if (count === 0) return output.answer(toDocument(plan), () => "There is nothing to upgrade.\n");
  await confirm(terminal, {
    isYes: options.yes,
    action: `upgrade the agents of ${count} clusters`,
    question: count === 1 ? "Upgrade this agent?" : `Upgrade the agents of ${count} clusters?`,
  });
  await carryOut(context, { plan, options });
  output.answer(toDocument(plan), () => `${count} of ${count} agents are live with ${output.safe(goal.version)}.\n`);
}

async function showVersions(context: CommandContext, hub: string, options: UpgradeOptions): Promise<void> {
  const { output, signal } = context;
  const { cluster, allClusters, clusterSelector } = options;
  const isEverywhere = cluster === undefined && clusterSelector === undefined && allClusters === undefined;
  const target = isEverywhere ? ({ all: true } as const) : readTarget(options);
  const clusters = (await readFleet(await context.hub(), { target, signal })).map(toSeen);
  const items = clusters.map((one) => ({ ...one, standing: standingOf(one, hub) }));
  output.answer({ hubVersion: hub, items }, () => describeVersions(context, clusters, hub));
}

/** Reads what the chart would install, as Helm knows it. */
async function readGoal({ signal }: CommandContext, options: UpgradeOptions): Promise<Goal> {
  const { chart = "" } = options;
  const missing = (why: string) => attachErrors.CLI_CHART_MISSING({ chart, why });
  if (isMissingFolder(chart)) throw missing("the file or folder doesn't exist.");
  const shown = await runProgram("helm", ["show", "chart", ...toChartArguments(options)], { signal });
  if (shown.code !== 0) throw missing(lastLine(shown));
  // Loaded now only: no other command but a few needs it.
  const { parse } = await import("yaml");
  const described = new Fields(parse(shown.stdout));
  const [chartVersion, version] = [described.at("version").scalar(), described.at("appVersion").scalar()];
  if (described.at("name").text() !== "fairlead-agent" || chartVersion === undefined || version === undefined)
    throw missing("it isn't the chart fairlead-agent.");
  return { chartVersion, version };
}

async function makePlan(
  { signal }: CommandContext,
  request: { readonly fleet: readonly ClusterDetail[]; readonly goal: Goal; readonly options: UpgradeOptions },
): Promise<Plan> {
  const { fleet, goal, options } = request;
  await checkPrograms(openClusterTarget("", options, signal));
  const planned = await mapAFew(fleet, async (detail): Promise<PlannedCluster> => {
    const cluster = toSeen(detail);
    const judged = judgeUnseen(cluster, goal);
    if (judged) return { cluster, action: judged };
    const look = await lookAtCluster(openClusterTarget(cluster.name, options, signal), detail, options);
    return { cluster, action: judgeSeen(cluster, look, goal) };
  });
  return { planned, goal, waves: toWaves(upgradesOf(planned), options.waves) };
}

function requireUsable({ planned }: Plan, { skipUnusable }: UpgradeOptions): void {
  const unusable = planned.filter(({ action }) => action.is === "unusable").map(({ cluster }) => cluster.name);
  if (unusable.length === 0 || skipUnusable) return;
  throw upgradeErrors.CLI_UPGRADE_UNUSABLE({ count: unusable.length, clusters: unusable.join(", ") });
}

async function carryOut(
  context: CommandContext,
  { plan, options }: { readonly plan: Plan; readonly options: UpgradeOptions },
): Promise<void> {
  const { output } = context;
  const { waves, goal } = plan;
  const { done, left, failures } = await runInWaves<PlannedUpgrade>({
    waves,
    maxParallel: options.maxParallel,
    run: (upgrade) => upgradeOne(context, { upgrade, goal, options }),
  });
  if (failures.length === 0) return;
  const list = (some: readonly PlannedUpgrade[]): string =>
    some.map(({ cluster }) => output.safe(cluster.name)).join(", ");
  if (left.length > 0) output.remark(`Left as they are: ${list(left)}.`);
  const begun = waves.flat().filter((upgrade) => !done.includes(upgrade) && !left.includes(upgrade));
  if (!failures.every(isTold)) output.remark(`Cut off: look at the releases of ${list(begun)} with 'helm history'.`);
  throw failures[0];
}

/** Failures whose message says how the release is now. */
function isTold(failure: unknown): boolean {
  return upgradeErrors.is(
    failure,
    "CLI_UPGRADE_REFUSED",
    "CLI_UPGRADE_ROLLED_BACK",
    "CLI_UPGRADE_NOT_ROLLED_BACK",
    "CLI_UPGRADE_CHANGED",
  );
}
