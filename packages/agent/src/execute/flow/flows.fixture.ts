// Flows with sets of manifests, waits, and a kind of step that a test decides.
import type { FairleadError } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import { manifestsRunner } from "../manifests/index.ts";
import { digestOfPlan } from "../plan-digest.ts";
import { createTestTask, type TestTask, type TestTaskOptions } from "../task.fixture.ts";
import type { CommandRunner, PlanResult, RunResult, Task } from "../types.ts";
import { createFlowRunner } from "./index.ts";
import type { FlowSpec } from "./types.ts";

export interface ScriptedSpec {
  readonly does?: string;
  readonly [member: string]: unknown;
}

/** Stands for any kind: does what the test says, and remembers what it was asked. */
export class ScriptedRunner implements CommandRunner<ScriptedSpec> {
  readonly runs: { readonly spec: ScriptedSpec; readonly state: unknown; readonly digest: string | undefined }[] = [];
  does: (task: Task<ScriptedSpec>) => Promise<RunResult> | RunResult = () => ({ json: {} });
  plans: (task: Task<ScriptedSpec>) => unknown = ({ spec }) => spec;

  parse(spec: unknown): ScriptedSpec {
    return spec as ScriptedSpec;
  }

  async plan(task: Task<ScriptedSpec>) {
    const json = this.plans(task);
    return { json, digest: digestOfPlan(json), isEmpty: json === "nothing" };
  }

  async run(task: Task<ScriptedSpec>): Promise<RunResult> {
    this.runs.push({ spec: task.spec, state: task.state.read(), digest: task.approvedDigest });
    return await this.does(task);
  }
}

export interface ToldStep {
  readonly id: string;
  readonly outcome: string;
  readonly code?: string;
  readonly message?: string;
  readonly [member: string]: unknown;
}

export interface ToldFlow {
  readonly steps: readonly ToldStep[];
  /** `id: outcome`. */
  readonly outcomes: readonly string[];
  readonly failure: FairleadError | undefined;
  /** People are asked about this plan: the steps are those that have ended. */
  readonly asks: PlanResult | undefined;
}

export interface Flows {
  readonly scripted: ScriptedRunner;
  task(steps: readonly object[], options?: Partial<TestTaskOptions<FlowSpec>>): TestTask<FlowSpec>;
  run(task: TestTask<FlowSpec>): Promise<ToldFlow>;
  play(steps: readonly object[], options?: Partial<TestTaskOptions<FlowSpec>>): Promise<ToldFlow>;
  plan(task: TestTask<FlowSpec>): ReturnType<CommandRunner<FlowSpec>["plan"]>;
}

export function createFlows({ kube, namespace }: { readonly kube: KubeClient; readonly namespace: string }): Flows {
  const scripted = new ScriptedRunner();
  const runners: Readonly<Record<string, CommandRunner>> = { manifests: manifestsRunner, scripted, tofu: scripted };
  const runner = createFlowRunner((kind) => runners[kind]);
  const flows: Flows = {
    scripted,
    task: (steps, options = {}) =>
      createTestTask({ kube, ...options, spec: runner.parse({ name: "flow", namespace, steps }) }),
    async run(task) {
      const { json, failure, asks } = await runner.run(task);
      const { steps } = (json ?? { steps: [] }) as { readonly steps: readonly ToldStep[] };
      return { steps, failure, asks, outcomes: steps.map(({ id, outcome }) => `${id}: ${outcome}`) };
    },
    play: (steps, options) => flows.run(flows.task(steps, options)),
    plan: (task) => runner.plan(task),
  };
  return flows;
}

/** For flows without a step that asks the cluster. */
export const noKube = {
  request: () => Promise.reject(new Error("there is no cluster")),
} as unknown as KubeClient;

export function apply(id: string, objects: readonly object[], more: object = {}): object {
  const manifests = objects.map((each) => JSON.stringify(each)).join("\n---\n");
  return { id, manifests: { set: id, manifests }, ...more };
}

export function scriptedStep(id: string, spec: object = {}, more: object = {}): object {
  return { id, scripted: { does: id, ...spec }, ...more };
}
