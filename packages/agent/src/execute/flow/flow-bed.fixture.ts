// A flow in a namespace of its own on a real API server, with kinds of steps that a test decides.
import type { FairleadError } from "@fairlead/kernel";
import { type Bed, openBed } from "../manifests/bed.fixture.ts";
import { manifestsRunner } from "../manifests/index.ts";
import { digestOfPlan } from "../plan-digest.ts";
import { createTestTask, type TestTask, type TestTaskOptions } from "../task.fixture.ts";
import type { CommandRunner, RunResult, Task } from "../types.ts";
import { createFlowRunner } from "./index.ts";
import type { FlowSpec } from "./types.ts";

export interface ScriptedSpec {
  readonly does?: string;
  readonly [member: string]: unknown;
}

/** Stands for the kind tofu: does what the test says, and remembers what it was asked. */
export class ScriptedRunner implements CommandRunner<ScriptedSpec> {
  readonly runs: { readonly spec: ScriptedSpec; readonly state: unknown; readonly digest: string | undefined }[] = [];
  does: (task: Task<ScriptedSpec>) => Promise<RunResult> | RunResult = () => ({ json: {} });
  plans: (task: Task<ScriptedSpec>) => unknown = ({ spec }) => spec;

  parse(spec: unknown): ScriptedSpec {
    return spec as ScriptedSpec;
  }

  async plan(task: Task<ScriptedSpec>) {
    const json = this.plans(task);
    return { json, digest: digestOfPlan(json), isEmpty: false };
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
}

export interface FlowBed extends AsyncDisposable {
  readonly bed: Bed;
  readonly scripted: ScriptedRunner;
  task(steps: readonly object[], options?: Partial<TestTaskOptions<FlowSpec>>): TestTask<FlowSpec>;
  run(task: TestTask<FlowSpec>): Promise<ToldFlow>;
  play(steps: readonly object[], options?: Partial<TestTaskOptions<FlowSpec>>): Promise<ToldFlow>;
  plan(task: TestTask<FlowSpec>): ReturnType<CommandRunner<FlowSpec>["plan"]>;
}

export async function openFlowBed(): Promise<FlowBed> {
  const bed = await openBed();
  const scripted = new ScriptedRunner();
  const runners: Readonly<Record<string, CommandRunner>> = { manifests: manifestsRunner, tofu: scripted };
  const runner = createFlowRunner((kind) => runners[kind]);
  const flows: FlowBed = {
    ...{ bed, scripted },
    task(steps, options = {}) {
      const spec = runner.parse({ name: "flow", namespace: bed.namespace, steps });
      return createTestTask({ kube: bed.kube, ...options, spec });
    },
    async run(task) {
      const { json, failure } = await runner.run(task);
      const { steps } = json as { readonly steps: readonly ToldStep[] };
      return { steps, failure, outcomes: steps.map(({ id, outcome }) => `${id}: ${outcome}`) };
    },
    play: (steps, options) => flows.run(flows.task(steps, options)),
    plan: (task) => runner.plan(task),
    [Symbol.asyncDispose]: () => bed[Symbol.asyncDispose](),
  };
  return flows;
}

export function apply(id: string, objects: readonly object[], more: object = {}): object {
  const manifests = objects.map((each) => JSON.stringify(each)).join("\n---\n");
  return { id, manifests: { set: id, manifests }, ...more };
}

export function scriptedStep(id: string, spec: object = {}, more: object = {}): object {
  return { id, tofu: { does: id, ...spec }, ...more };
}
