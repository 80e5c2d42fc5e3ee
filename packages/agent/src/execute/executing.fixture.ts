// The role execute of an agent, with a kind of command whose steps a test can hold up.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "@fairlead/kernel";
import type { KubeClient } from "@fairlead/kube";
import type { AgentConfig } from "../config/index.ts";
import { type Executing, type ExecutingOptions, startExecuting } from "../executing.ts";
import { type CurrentLink, createCurrentLink } from "../link/index.ts";
import { allowsKind, judgeCommand } from "../policy/judge-command.ts";
import type { Policy } from "../policy/schema.ts";
import { tofuRules } from "../policy/tofu-rules.ts";
import { executeErrors } from "./errors.ts";
import { digestOfPlan } from "./plan-digest.ts";
import type { CommandRunners } from "./runners.ts";
import type { ScriptedHub } from "./scripted-hub.fixture.ts";
import { loopbackPolicy } from "./task.fixture.ts";
import type { CommandRunner, PlanResult, RunResult, Task } from "./types.ts";

export interface StepsSpec {
  readonly steps: number;
  readonly result?: unknown;
}

/** Does its steps one after the other; each is begun at most once more after a run that died. */
export class StepsRunner implements CommandRunner<StepsSpec> {
  readonly effects: string[] = [];
  /** Ids of commands that were planned. */
  readonly plans: string[] = [];
  /** Awaited before it says what it would do. */
  beforePlanned: (task: Task<StepsSpec>) => Promise<void> | void = () => undefined;
  /** Awaited before the step of this number. */
  before: (step: number, task: Task<StepsSpec>) => Promise<void> | void = () => undefined;

  parse(spec: unknown): StepsSpec {
    return spec as StepsSpec;
  }

  async plan(task: Task<StepsSpec>): Promise<PlanResult> {
    const json = { would: task.spec.steps };
    const digest = digestOfPlan(json);
    this.plans.push(task.id);
    await this.beforePlanned(task);
    await task.state.write({ planned: digest });
    return { json, digest, isEmpty: task.spec.steps === 0 };
  }

  async run(task: Task<StepsSpec>): Promise<RunResult> {
    const { done, planned } = (task.state.read() ?? {}) as { done?: number; planned?: string };
    if (done === undefined && task.approvedDigest !== planned)
      throw executeErrors.COMMAND_PLAN_STALE({ detail: "it has changed" });
    for (let step = (done ?? 0) + 1; step <= task.spec.steps; step++) {
      await this.before(step, task);
      await task.state.write({ done: step - 1, doing: step });
      task.mayAct();
      this.effects.push(`${task.id}/${step}`);
      task.log.line(`did step ${step}`);
      await task.state.write({ done: step });
    }
    return { json: task.spec.result ?? { steps: task.spec.steps } };
  }
}

export interface TestExecuting {
  readonly executing: Executing;
  readonly links: CurrentLink;
  readonly folder: string;
  readonly logged: object[];
  /** As by SIGKILL: nothing more leaves this agent, neither to the hub nor to the cluster. */
  kill(): void;
}

const yes = { allowed: true } as const;
const anything = {
  judgeCommand: () => yes,
  judgeServiceAccount: () => yes,
  judgeSource: () => yes,
  judgeHost: () => ({ allowed: true, isLocal: true }) as const,
  tofuRules: () => tofuRules(loopbackPolicy),
  chartHosts: () => undefined,
  allowsKind: () => true,
  listsChart: () => false,
  credentialRules: () => [],
};

export async function startTestExecuting(
  options: { readonly hub: ScriptedHub; readonly keys: readonly string[]; readonly runner: CommandRunner } & Partial<{
    folder: string;
    client: KubeClient;
    /** All kinds that it has; manifests by the runner unless given. */
    runners: CommandRunners;
    inCluster: boolean;
    clock: Clock;
    /** How far the hub's clock is ahead of ours, as Hello told. */
    clockSkewMs: number | (() => number);
    untilTimeSaid: () => Promise<void>;
    /** Everything that it leaves out is allowed. */
    policy: Partial<ExecutingOptions["policy"]>;
    parallel: number;
    logBytes: number;
    spoolBytes: number;
    environment: Readonly<Record<string, string | undefined>>;
  }>,
): Promise<TestExecuting> {
  const { hub, keys, runner, client = noCluster, inCluster = false, parallel = 4 } = options;
  const { logBytes = 64e6, spoolBytes = 64e6, clockSkewMs = 0 } = options;
  const policy = { ...anything, ...options.policy };
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "fairlead-execute-")));
  const logged: object[] = [];
  const keep = (fields: object, message: string): void => void logged.push({ ...fields, message });
  const links = await hub.connect();
  const own = createCurrentLink();
  const follow = (): void => own.set(links.current);
  const stopFollowing = links.onChange(follow);
  follow();
  let isDead = false;
  const executing = await startExecuting({
    config: {
      stateDir: inCluster ? undefined : folder,
      execute: {
        folder: join(folder, "spool"),
        parallel,
        logBytes,
        spoolBytes,
        keysFile: undefined,
        fence: { is: "unfenced" },
      },
    } as AgentConfig,
    client: {
      ...client,
      request: (request) => (isDead ? new Promise<never>(() => undefined) : client.request(request)),
    },
    links: own,
    policy,
    clock: options.clock ?? systemClock,
    instanceId: `agent_${logged.length}`,
    askForKeys: async () => undefined,
    cluster: () => "east",
    clockSkewMs: () => (typeof clockSkewMs === "function" ? clockSkewMs() : clockSkewMs),
    untilTimeSaid: options.untilTimeSaid,
    runners: options.runners ?? { manifests: runner },
    environment: options.environment ?? process.env,
    log: { debug: () => undefined, info: keep, warn: keep, error: keep },
  });
  await executing.learnKeys(keys);
  return {
    executing,
    links,
    folder,
    logged,
    kill() {
      isDead = true;
      stopFollowing();
      own.set(undefined);
    },
  };
}

/** The policy that a file with these rules makes. */
export function policyOf(rules: Policy): Pick<ExecutingOptions["policy"], "judgeCommand" | "allowsKind"> {
  return {
    judgeCommand: (request) => judgeCommand(rules, request),
    allowsKind: (kind) => allowsKind(rules, kind),
  };
}

/** Empties the list, and resolves with what was in it. */
export async function stopAll(running: TestExecuting[]): Promise<readonly TestExecuting[]> {
  const all = running.splice(0);
  await Promise.all(all.map(({ executing }) => executing.stop({ drainMs: 0 })));
  return all;
}

export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
}

const noCluster = {
  access: { server: new URL("https://127.0.0.1:1"), namespace: "agents" },
  pool: { basePath: "" },
  request: () => Promise.reject(new Error("there is no cluster")),
} as unknown as KubeClient;
