// Installs a release, or makes another revision of it. Where `atomic` is wanted, a failure is put right by a step of its
// own rather than by helm itself: so that the record says what is meant, and another claim can go on with it.
import { FairleadError } from "@fairlead/kernel";
import { executeErrors } from "../../errors.ts";
import type { RunResult } from "../../types.ts";
import { upgradeArguments } from "../arguments.ts";
import { type Begun, describeCommand } from "../begin.ts";
import { fetchChart } from "../chart/fetch-chart.ts";
import { nameChart, placeOfChart } from "../chart/name-chart.ts";
import { deployedOf, openBefore } from "../earlier.ts";
import { fetchRendering } from "../kept/kept-rendering.ts";
import { literalFiles } from "../kept/literal-chart.ts";
import type { Rendering } from "../kept/rendering.ts";
import type { Memory } from "../memory.ts";
import { planRendering } from "../plan/plan-upgrade.ts";
import { prepareUpgrade } from "../prepare-upgrade.ts";
import type { ReleaseHead } from "../release/release-store.ts";
import type { UpgradeAction } from "../types.ts";
import { adopt } from "./adopt.ts";
import { reportUpgrade } from "./report-upgrade.ts";
import { cancelOf, standNow, takeStep } from "./step.ts";
import { undo } from "./undo.ts";

export async function upgrade(begun: Begun, action: UpgradeAction): Promise<RunResult> {
  const { task, helm, store, heads, memory, standing } = begun;
  const { spec, log } = task;
  // First of all, so that its secrets are masked in whatever is told. A run that did it may have removed it.
  const approved = await fetchApproved(begun);
  if (memory?.phase === "undo") return await undo(begun, { action, memory, heads });
  if (standing.type === "done")
    return await adopt(begun, { head: standing.head, before: await openBefore(begun, memory) });
  const cancel = memory && cancelOf(begun);
  if (cancel) return await giveUp(begun, { action, memory, failure: cancel });
  if (approved instanceof FairleadError) throw approved;
  if (approved && memory === undefined) await requireApproved(begun, action, approved);
  const made = approved ? await useApproved(begun, action, approved) : await useChart(begun, action);
  if (standing.type === "broken") await store.markFailed(standing.head);
  const meant: Memory = {
    phase: "act",
    before: memory === undefined ? deployedOf(heads) : memory.before,
    expected: (heads.at(-1)?.revision ?? 0) + 1,
  };
  const before = await openBefore(begun, meant);
  const deed = meant.before === undefined ? "installs" : "upgrades";
  log.line(`${deed} ${spec.namespace}/${spec.release} by the chart ${nameChart(action.chart)}`);
  const { failure, ...after } = await takeStep(begun, {
    args: upgradeArguments({
      major: helm.major,
      spec,
      action,
      description: describeCommand(task),
      chartPath: made.chartPath,
      isClientSide: before?.isClientSide ?? false,
    }),
    stdin: JSON.stringify(made.values),
    memory: meant,
  });
  if (failure && isToUndo(begun, { action, memory: meant, heads: after.heads }))
    return await undo(begun, { action, memory: meant, heads: after.heads, failure });
  log.line(failure ? `failed: ${failure.message}` : `revision ${after.release?.revision} is ${after.release?.status}`);
  const json = await reportUpgrade(begun, { ...after, memory: meant, failure, chartDigest: made.chartDigest });
  return { json, failure };
}

/** The run before was cancelled, and died over it. */
async function giveUp(
  begun: Begun,
  options: { readonly action: UpgradeAction; readonly memory: Memory; readonly failure: FairleadError },
): Promise<RunResult> {
  const { failure } = options;
  const now = await standNow(begun);
  if (isToUndo(begun, { ...options, ...now })) return await undo(begun, { ...options, heads: now.heads });
  begun.task.log.line(`failed: ${failure.message}`);
  return { json: await reportUpgrade(begun, { ...now, memory: options.memory, failure }), failure };
}

/** It left a revision, and nobody is in too much of a hurry. */
function isToUndo(
  { task }: Begun,
  options: { readonly action: UpgradeAction; readonly memory: Memory; readonly heads: readonly ReleaseHead[] },
): boolean {
  const { action, memory, heads } = options;
  const latest = heads.at(-1);
  const isBegun = latest !== undefined && latest.revision >= memory.expected && latest.isOwn;
  return action.atomic && isBegun && !task.forced.aborted;
}

async function fetchApproved({ task }: Begun): Promise<Rendering | FairleadError | undefined> {
  if (task.approvedDigest === undefined) return undefined;
  return await fetchRendering(task).catch((error: unknown) => {
    if (executeErrors.is(error, "COMMAND_PLAN_STALE")) return error;
    throw error;
  });
}

async function requireApproved(begun: Begun, action: UpgradeAction, approved: Rendering): Promise<void> {
  const { digest } = await planRendering(begun, action, approved);
  if (digest !== begun.task.approvedDigest)
    throw executeErrors.COMMAND_PLAN_STALE({ detail: "the release or objects have changed since" });
}

interface Made {
  readonly chartPath: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly chartDigest: string;
}

/** What was rendered for the plan, and neither the chart nor values as they are by now. */
async function useApproved(begun: Begun, action: UpgradeAction, approved: Rendering): Promise<Made> {
  // The policy may have become another one since.
  begun.task.mayUse({ is: "chart", place: placeOfChart(action.chart) });
  const { values, chartDigest } = approved;
  const { path } = await fetchChart({ ...begun, source: { type: "inline", files: literalFiles(approved) } });
  return { chartPath: path, values, chartDigest };
}

async function useChart(begun: Begun, action: UpgradeAction): Promise<Made> {
  const { chart, values } = await prepareUpgrade(begun, action);
  return { chartPath: chart.path, values, chartDigest: chart.digest };
}
