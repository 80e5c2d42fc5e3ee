// Logs that an agent owes when it dies, and the next one on the same disk.
import { readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@fairlead/kernel/testing";
import { envelopeTypeOf } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { useHubAndAgents } from "./hub-and-agents.fixture.ts";
import { createFileRecords, type RecordLife } from "./records/index.ts";
import type { HubCommand } from "./scripted-hub.fixture.ts";
import { testEnvelope } from "./signing.fixture.ts";

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
