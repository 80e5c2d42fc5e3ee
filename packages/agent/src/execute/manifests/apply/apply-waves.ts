import type { KubeMetadata } from "@fairlead/kube";
import type { Task } from "../../types.ts";
import { isInterruption } from "../attempt.ts";
import type { Begun } from "../begin.ts";
import { inParallel, parallelRequests } from "../in-parallel.ts";
import { keyOf } from "../object-name.ts";
import { describeOutcome, failed } from "../outcome.ts";
import type { Target } from "../prepare/target.ts";
import type { AppliedObject } from "../readiness/until-ready.ts";
import type { Report } from "../report.ts";
import { digestOf } from "../survey/digest.ts";
import type { Before } from "../survey/survey.ts";
import type { ManifestsSpec, Outcome } from "../types.ts";
import type { WaitBudget } from "../wait-budget.ts";
import { applyTarget } from "./apply-target.ts";
import { untilEstablished } from "./establish.ts";
import { isDefinition, orderByWave } from "./tiers.ts";

export interface ApplyOptions {
  readonly task: Task<ManifestsSpec>;
  readonly begun: Begun;
  readonly report: Report;
  readonly applied: Map<string, AppliedObject>;
  readonly budget: WaitBudget;
}

/** True when all objects of all waves were applied. A wave begins when all of the one before are there and ready. */
export async function applyWaves(options: ApplyOptions): Promise<boolean> {
  const { task, begun, report, applied, budget } = options;
  const targets = new Map(begun.targets.map((target) => [target.manifest, target]));
  const befores = new Map(begun.survey.targets.map((target) => [keyOf(target), target.before]));
  const waves = orderByWave(task.spec.manifests);
  for (const [index, { wave, tiers }] of waves.entries()) {
    if (waves.length > 1) task.log.line(`wave ${wave}`);
    for (const tier of tiers) {
      const prepared = tier.flatMap((manifest) => targets.get(manifest) ?? []);
      await applyTier({ ...options, befores, tier: prepared });
    }
    if (report.failedCount > 0) return false;
    if (index === waves.length - 1) return true;
    report.setUnready(await budget.wait([...applied.values()].filter(({ target }) => target.manifest.wave === wave)));
    if (!report.isReady) return false;
  }
  return true;
}

interface Tier extends ApplyOptions {
  readonly befores: ReadonlyMap<string, Before | undefined>;
  readonly tier: readonly Target[];
}

/** An object that fails stops none of the others. */
async function applyTier(options: Tier): Promise<void> {
  const { tier } = options;
  await inParallel(tier, parallelRequests, (target) => applyOne(options, target));
  const definitions = tier.filter(({ name, key }) => isDefinition(name) && options.applied.has(key));
  await inParallel(definitions, parallelRequests, (definition) => establish(options, definition));
}

async function applyOne(options: Tier, target: Target): Promise<void> {
  const { task, applied, befores, report } = options;
  const { key, name, manifest } = target;
  try {
    const isNewKind = target.isDefinedHere && !report.hasFailed(isDefinition);
    const object = await applyTarget({ task, target, isNewKind });
    applied.set(key, { target, object });
    tell(options, target, { ...name, did: whatApplyingDid(befores.get(key), object.metadata) });
  } catch (error) {
    if (isInterruption(task, error)) throw error;
    tell(options, target, failed({ task, name, error, where: manifest.where }));
  }
}

function whatApplyingDid(before: Before | undefined, after: KubeMetadata): "created" | "changed" | "unchanged" {
  // It was there, went meanwhile, and was made anew.
  if (before === undefined || before.uid !== after.uid) return "created";
  if (before.resourceVersion === after.resourceVersion) return "unchanged";
  return before.digest !== undefined && before.digest === digestOf(after) ? "unchanged" : "changed";
}

async function establish(options: Tier, definition: Target): Promise<void> {
  const { task, begun } = options;
  const { name, manifest } = definition;
  try {
    await untilEstablished({ task, catalogue: begun.catalogue, definition });
  } catch (error) {
    if (isInterruption(task, error)) throw error;
    tell(options, definition, failed({ task, name, error, where: manifest.where }));
  }
}

function tell({ task, report }: Tier, { key }: Target, outcome: Outcome): void {
  report.set(key, outcome);
  task.log.line(describeOutcome(outcome));
}
