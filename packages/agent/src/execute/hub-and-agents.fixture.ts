// A scripted hub for each test, and agents with the role execute that are stopped and cleared away behind it.
import { until } from "@fairlead/kernel/testing";
import { afterEach, beforeAll, beforeEach } from "vitest";
import { removeFolder, StepsRunner, startTestExecuting, stopAll, type TestExecuting } from "./executing.fixture.ts";
import { type HubCommand, ScriptedHub } from "./scripted-hub.fixture.ts";
import { createTestSigner, type TestSigner } from "./signing.fixture.ts";

export type TestExecutingOptions = Partial<Parameters<typeof startTestExecuting>[0]>;

export interface HubAndAgents {
  readonly signer: TestSigner;
  readonly hub: ScriptedHub;
  readonly runner: StepsRunner;
  /** The agents that still run. */
  readonly running: TestExecuting[];
  start(options?: TestExecutingOptions): Promise<TestExecuting>;
}

/** To be called once in a file of tests. Its members are there while a test runs. */
export function useHubAndAgents(): HubAndAgents {
  let signer: TestSigner;
  let hub: ScriptedHub;
  let runner: StepsRunner;
  const running: TestExecuting[] = [];
  beforeAll(async () => {
    signer = await createTestSigner();
  });
  beforeEach(async () => {
    hub = await new ScriptedHub().start();
    runner = new StepsRunner();
  });
  afterEach(async () => {
    for (const { folder } of await stopAll(running)) await removeFolder(folder);
    await hub[Symbol.asyncDispose]();
  });
  return {
    get signer() {
      return signer;
    },
    get hub() {
      return hub;
    },
    get runner() {
      return runner;
    },
    running,
    async start(options = {}) {
      const started = await startTestExecuting({ hub, keys: [signer.jwk], runner, ...options });
      running.push(started);
      return started;
    },
  };
}

export async function untilEnded(command: HubCommand): Promise<{ readonly state: string; readonly code: string }> {
  await until(() => command.outcome !== undefined, "it ends");
  const { state = "", code = "" } = command.outcome ?? {};
  return { state, code };
}
