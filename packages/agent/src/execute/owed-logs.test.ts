// Logs that an agent owes when it dies, and the next one on the same disk.
import { readdir, rename, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { untilAbort } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { envelopeTypeOf } from "@fairlead/protocol";
import { expect, test } from "vitest";
import type { StepsSpec } from "./executing.fixture.ts";
import { useHubAndAgents } from "./hub-and-agents.fixture.ts";
import { createFileRecords, type RecordLife } from "./records/index.ts";
import type { HubCommand } from "./scripted-hub.fixture.ts";
import { testEnvelope } from "./signing.fixture.ts";
import type { Task } from "./types.ts";

const at = useHubAndAgents();
const { start } = at;

const log33 = "did step 1\ndid step 2\ndid step 3\n";

test.each([
  { told: true, isOfferedAgain: false },
  { told: false, isOfferedAgain: false },
  { told: false, isOfferedAgain: true },
])("an outcome owes its log: an agent is killed before it sent that, and the next one does: %j", async (how) => {
  const first = await start();
  at.hub.fault = (call) => call === "appendLog" || (call === "report" && !how.told);
  const command = await at.hub.submit(at.signer, steps("cmd_owing", 3));
  if (how.told) await untilTold(command);
  const life = how.told ? "settled" : "ended";
  await until(async () => (await lifeOf(first.folder, "cmd_owing"))?.is === life, "the outcome is recorded");
  first.kill();
  expect(command.log).toHaveLength(0);
  at.hub.fault = () => false;
  if (how.isOfferedAgain) at.hub.offerAgain("cmd_owing");
  await start({ folder: first.folder });
  await until(() => command.log.toString() === log33, "the log is whole");
  await until(async () => (await logsIn(first.folder)).length === 0, "nothing of it waits any more");
  expect(command).toMatchObject({ outcomes: 1, isRestLost: false });
  await until(async () => (await owedBy(first.folder, "cmd_owing")) === undefined, "nothing is owed any more");
});

test("what a disk has lost of a log is said to be missing", async () => {
  const first = await start();
  at.hub.fault = (call) => call === "appendLog";
  const command = await at.hub.submit(at.signer, steps("cmd_cut", 3));
  await untilTold(command);
  await until(async () => (await lifeOf(first.folder, "cmd_cut"))?.is === "settled", "the outcome is told");
  first.kill();
  at.hub.fault = () => false;
  await truncate(join(first.folder, "spool", "cmd_cut.0.log"), 11);
  await start({ folder: first.folder });
  await until(() => command.isRestLost, "the hub knows that there is no more");
  expect(command.log.toString()).toBe("did step 1\n");
});

test("the log of a plan is sent after the agent that made it was killed, while people think it over", async () => {
  const first = await start();
  at.hub.fault = (call) => call === "appendLog";
  at.runner.beforePlanned = (task) => task.log.line("looked around");
  const approval = { is: "needed", keptMs: 3_600_000 };
  const command = await at.hub.submit(at.signer, steps("cmd_planned", 1, { approval }), {
    typ: envelopeTypeOf({ approval: { is: "needed", keptMs: 1 } }),
  });
  await until(() => command.plans.length === 1, "it is planned");
  first.kill();
  at.hub.fault = () => false;
  await start({ folder: first.folder });
  await until(() => command.log.toString() === "looked around\n", "the log is whole");
});

test("lines that a claim couldn't send before it was lost come with the next claim of the same agent", async () => {
  const gate = Promise.withResolvers<void>();
  let isAtGate = false;
  at.runner.before = async (step) => {
    isAtGate = step === 2;
    if (isAtGate) await gate.promise;
  };
  at.hub.fault = (call) => call === "appendLog";
  const { folder } = await start();
  const command = await at.hub.submit(at.signer, steps("cmd_moved", 3));
  await until(() => isAtGate, "one step is done");
  // As for an agent that stood still: the hub has counted a later claim before this one has sent all.
  command.epoch++;
  const asked = appended();
  at.hub.fault = () => false;
  await until(() => appended() > asked, "the hub has refused a piece of the claim before");
  await delay(300);
  at.hub.offerAgain("cmd_moved");
  await until(() => command.epoch === 3n, "it is claimed anew");
  gate.resolve();
  await until(() => command.outcome !== undefined, "it ends");
  await until(() => command.log.toString() === log33, "the log is whole");
  expect(command).toMatchObject({ outcomes: 1, isRestLost: false });
  await until(async () => (await logsIn(folder)).length === 0, "nothing of it waits any more");
});

test("an agent that stops gives a command back with all that it said", async () => {
  at.hub.waitMs = 1_000;
  at.runner.before = async (step, task) => {
    if (step === 3) await untilAbort(task.signal);
  };
  const first = await start();
  const command = await at.hub.submit(at.signer, steps("cmd_given", 3));
  await until(() => at.runner.effects.length === 2, "two steps are done");
  await first.executing.stop({ drainMs: 30_000 });
  expect(command.log.toString()).toBe("did step 1\ndid step 2\n");
  // The next pod has a disk of its own.
  await rm(join(first.folder, "spool"), { recursive: true });
  at.runner.before = () => undefined;
  await start({ folder: first.folder });
  await until(() => command.log.toString() === log33, "the log is whole");
});

test("a log goes on where another agent wrote on, never with an older copy, and says that lines may lack", async () => {
  const heldAt = (held: number) => async (step: number, task: Task<StepsSpec>) => {
    if (step === held) await untilAbort(task.signal);
  };
  at.hub.fault = (call) => call === "appendLog";
  at.runner.before = heldAt(3);
  const first = await start();
  const command = await at.hub.submit(at.signer, steps("cmd_there", 4));
  await until(() => at.runner.effects.length === 2, "two steps are done");
  await until(async () => (await logsIn(first.folder)).length === 1, "their lines wait");
  first.kill();
  const spool = join(first.folder, "spool");
  await rename(spool, `${spool}-first`);
  at.hub.fault = () => false;
  at.runner.before = heldAt(4);
  // Before the start: an agent that has claimed nothing and doesn't wait yet misses a hint.
  at.hub.offerAgain("cmd_there");
  const second = await start({ folder: first.folder });
  await until(() => command.log.includes("did step 3\n"), "another agent goes on");
  second.kill();
  await rename(spool, `${spool}-second`);
  await rename(`${spool}-first`, spool);
  at.runner.before = () => undefined;
  at.hub.offerAgain("cmd_there");
  await start({ folder: first.folder });
  await until(() => command.log.includes("did step 4\n"), "the first one is back");
  const mark =
    "[fairlead] Another agent goes on here. Lines that the agent before it hadn't sent to the hub are missing.\n";
  expect(command.log.toString()).toBe(`${mark}did step 3\n${mark}did step 4\n`);
});

const appended = (): number => at.hub.calls.filter((call) => call === "appendLog").length;

const steps = (id: string, count: number, changes: object = {}): ReturnType<typeof testEnvelope> =>
  testEnvelope({ id, spec: { steps: count }, issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000, ...changes });

async function untilTold({ id }: HubCommand): Promise<void> {
  await until(() => at.hub.commands.get(id)?.outcome !== undefined, `${id} ends`);
}

async function lifeOf(folder: string, id: string): Promise<RecordLife | undefined> {
  const found = await createFileRecords({ folder: join(folder, "commands") }).find(id, AbortSignal.timeout(5_000));
  return found?.record.life;
}

async function owedBy(folder: string, id: string): Promise<unknown> {
  const life = await lifeOf(folder, id);
  return life?.is === "settled" ? life.owes : "not settled";
}

async function logsIn(folder: string): Promise<string[]> {
  return (await readdir(join(folder, "spool"))).filter((name) => name.endsWith(".log"));
}
