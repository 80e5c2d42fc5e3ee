// A hub that is hostile, or whose database was put back: what it hands out under its own key is bounded all the same.
import { until } from "@fairlead/kernel/testing";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { removeFolder, StepsRunner, startTestExecuting, stopAll, type TestExecuting } from "./executing.fixture.ts";
import { ScriptedHub } from "./scripted-hub.fixture.ts";
import { createTestSigner, type TestSigner, testEnvelope } from "./signing.fixture.ts";

let signer: TestSigner;
let hub: ScriptedHub;
const running: TestExecuting[] = [];

beforeAll(async () => {
  signer = await createTestSigner();
});
beforeEach(async () => {
  hub = await new ScriptedHub().start();
});
afterEach(async () => {
  for (const { folder } of await stopAll(running)) await removeFolder(folder);
  await hub[Symbol.asyncDispose]();
});

async function start(options: Omit<Parameters<typeof startTestExecuting>[0], "hub" | "keys">): Promise<TestExecuting> {
  const started = await startTestExecuting({ hub, keys: [signer.jwk], ...options });
  running.push(started);
  return started;
}

const steps = (id: string, count: number, more: object = {}): ReturnType<typeof testEnvelope> =>
  testEnvelope({ id, spec: { steps: count }, issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000, ...more });

test.each([
  ["spec", { spec: { steps: 9 } }],
  ["service account", { serviceAccount: "team-a/deployer" }],
  ["kind of run: a dry one that was none", { dryRun: true }],
])("what was begun under an id isn't gone on with as another %s", async (_what, change) => {
  const first = new StepsRunner();
  first.before = async (step) => {
    if (step === 2) await new Promise(() => undefined);
  };
  const begun = await start({ runner: first });
  await hub.submit(signer, steps("cmd_begun", 3));
  await until(() => first.effects.length === 1, "one step is done");
  begun.kill();
  // Epochs begin anew, as after a restore, and go on as long as the hub likes.
  await hub.submit(signer, steps("cmd_begun", 3, change));
  const next = new StepsRunner();
  await start({ folder: begun.folder, runner: next });
  await until(() => {
    const { outcome, leaseEndsMs } = hub.commands.get("cmd_begun") ?? { leaseEndsMs: 0 };
    if (outcome === undefined && leaseEndsMs > 0) hub.offerAgain("cmd_begun");
    return outcome !== undefined;
  }, "it is refused");
  expect(hub.commands.get("cmd_begun")?.outcome).toMatchObject({ state: "refused", code: "COMMAND_CHANGED" });
  expect(next.effects).toEqual([]);
});

test("a hub that hands out more than an agent asks for has no more carried out at once", async () => {
  const runner = new StepsRunner();
  const open = new Set<string>();
  let most = 0;
  runner.before = async (_step, task) => {
    most = Math.max(most, open.add(task.id).size);
    await new Promise((resolve) => setTimeout(resolve, 30));
    open.delete(task.id);
  };
  hub.isLavish = true;
  hub.leaseMs = 3_500;
  for (let index = 0; index < 8; index++) await hub.submit(signer, steps(`cmd_many${index}`, 1));
  await start({ parallel: 2, runner });
  await until(() => [...hub.commands.values()].every(({ outcome }) => outcome !== undefined), "all end");
  expect(most).toBe(2);
});
