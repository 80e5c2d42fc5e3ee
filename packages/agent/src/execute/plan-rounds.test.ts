// A flow that asks for approval again, against a scripted hub over real links: each round is a claim of its own.
import { join } from "node:path";
import { until } from "@fairlead/kernel/testing";
import { approvalEnvelopeType, Cancellation, type EnvelopeApproval } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { StepsRunner, type TestExecuting } from "./executing.fixture.ts";
import { createFlowRunner } from "./flow/index.ts";
import { type TestExecutingOptions, untilEnded, useHubAndAgents } from "./hub-and-agents.fixture.ts";
import { createFileRecords, type RecordLife } from "./records/index.ts";
import type { HubCommand } from "./scripted-hub.fixture.ts";
import { testEnvelope } from "./signing.fixture.ts";

const at = useHubAndAgents();
const id = "cmd_flow";

function start(options: TestExecutingOptions = {}): Promise<TestExecuting> {
  const own = options.runner ?? at.runner;
  const flow = createFlowRunner((kind) => (kind === "steps" ? own : undefined));
  return at.start({ runner: own, runners: { flow }, ...options });
}

const spec = {
  name: "release",
  steps: [
    { id: "one", steps: { steps: 1, result: { outputs: { count: 2 } } } },
    { id: "two", steps: { steps: "${steps.one.outputs.count}" } },
    { id: "cleanup", always: true, steps: { steps: 1 } },
  ],
};
const needed: EnvelopeApproval = { is: "needed", keptMs: 60_000 };
const given = (digest: string, changes: object = {}): EnvelopeApproval => ({
  is: "given",
  digest,
  by: ["bob"],
  untilMs: Date.now() + 60_000,
  keptMs: 60_000,
  ...changes,
});

function envelope(approval: EnvelopeApproval): ReturnType<typeof testEnvelope> {
  const times = { issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
  return testEnvelope({ id, kind: "flow", spec, ...times, approval });
}

async function untilPlanned(command: HubCommand, count: number): Promise<string> {
  await until(() => command.isWaiting && command.plans.length === count, `plan ${count} is told`);
  return command.plans.at(-1)?.planDigest ?? "";
}

const approve = (digest: string, changes: object = {}) => at.hub.approve(at.signer, envelope(given(digest, changes)));

/** A flow whose first plan is approved, and that waits with its second one. */
async function untilSecondRound(): Promise<{ command: HubCommand; first: string; second: string }> {
  const command = await at.hub.submit(at.signer, envelope(needed), { typ: approvalEnvelopeType });
  const first = await untilPlanned(command, 1);
  await approve(first);
  return { command, first, second: await untilPlanned(command, 2) };
}

async function lifeOf(folder: string): Promise<RecordLife | undefined> {
  const found = await createFileRecords({ folder: join(folder, "commands") }).find(id, AbortSignal.timeout(5_000));
  return found?.record.life;
}

const all = [`${id}-1/1`, `${id}-2/1`, `${id}-2/2`, `${id}-3/1`];

test("the second plan is told under the claim that applies the first, and the record holds both approvals", async () => {
  const agent = await start();
  const { command, first, second } = await untilSecondRound();
  expect(at.runner.effects).toEqual(all.slice(0, 1));
  const shown = JSON.parse(Buffer.from(command.plans[1]?.resultJson ?? []).toString());
  expect(shown.steps[1]).toMatchObject({ id: "two", known: true, plan: { would: 2 } });
  expect(await lifeOf(agent.folder)).toMatchObject({
    is: "planned",
    digests: { shown: second },
    approved: { shown: first },
  });
  await until(() => agent.executing.heldCount === 0, "its place is free");
  await approve(second);
  expect(await untilEnded(command)).toMatchObject({ state: "succeeded" });
  expect(at.runner.effects).toEqual(all);
  expect(command.states.filter((state) => state !== "resolving")).toEqual([
    "running",
    "planned",
    "applying",
    "planned",
    "applying",
    "succeeded",
  ]);
});

test("an agent that is killed while people are asked is followed by one that goes on from there", async () => {
  const first = await start();
  const { command, second } = await untilSecondRound();
  first.kill();
  const next = new StepsRunner();
  await start({ folder: first.folder, runner: next });
  await approve(second);
  expect(await untilEnded(command)).toMatchObject({ state: "succeeded" });
  expect([at.runner.effects, next.effects, next.plans]).toEqual([all.slice(0, 1), all.slice(1), []]);
});

test("a second plan that the agent recorded and couldn't tell is told by the next one, and isn't made again", async () => {
  const first = await start();
  const command = await at.hub.submit(at.signer, envelope(needed), { typ: approvalEnvelopeType });
  const digest = await untilPlanned(command, 1);
  let isCut = false;
  at.hub.fault = (call, place) => call.startsWith("report") && place === "before" && isCut;
  at.runner.beforePlanned = (task) => {
    if (task.id === `${id}-2`) isCut = true;
  };
  await approve(digest);
  await until(async () => (await lifeOf(first.folder))?.is === "planned" && isCut, "the plan is recorded");
  first.kill();
  at.hub.fault = () => false;
  const next = new StepsRunner();
  await start({ folder: first.folder, runner: next });
  at.hub.offerAgain(id);
  const second = await untilPlanned(command, 2);
  expect(await lifeOf(first.folder)).toMatchObject({ digests: { shown: second } });
  await approve(second);
  expect(await untilEnded(command)).toMatchObject({ state: "succeeded" });
  expect([next.plans, at.runner.effects, next.effects]).toEqual([[], all.slice(0, 1), all.slice(1)]);
});

test("an agent that is killed in the middle of the second round's step is followed by one that ends it", async () => {
  const first = await start();
  const { command, second } = await untilSecondRound();
  at.runner.before = async (step, task) => {
    if (step === 2 && task.id === `${id}-2`) await new Promise(() => undefined);
  };
  await approve(second);
  await until(() => at.runner.effects.length === 2, "one effect of the step is there");
  first.kill();
  const next = new StepsRunner();
  await start({ folder: first.folder, runner: next });
  at.hub.offerAgain(id);
  expect(await untilEnded(command)).toMatchObject({ state: "succeeded" });
  expect([...at.runner.effects, ...next.effects]).toEqual(all);
  expect(command.plans).toHaveLength(2);
});

test("a plan that wasn't approved is put right: the claim names the plan before, and is to be cancelled", async () => {
  await start();
  const { command, first } = await untilSecondRound();
  command.cancellation = Cancellation.GRACEFUL;
  await approve(first);
  expect(await untilEnded(command)).toEqual({ state: "cancelled", code: "COMMAND_CANCELLED" });
  expect(at.runner.effects).toEqual([all[0], all[3]]);
});

test("the plan before lets nothing more happen: without a cancel the later one is told again", async () => {
  await start();
  const { command, first } = await untilSecondRound();
  await approve(first);
  await untilPlanned(command, 3);
  expect(command.plans[2]?.planDigest).toBe(command.plans[1]?.planDigest);
  expect(at.runner.effects).toEqual(all.slice(0, 1));
});

test("an approval of something else is refused in a later round, too, and nothing is done", async () => {
  await start();
  const { command } = await untilSecondRound();
  await approve("e".repeat(64));
  expect(await untilEnded(command)).toEqual({ state: "refused", code: "COMMAND_APPROVAL_MISMATCH" });
  expect(at.runner.effects).toEqual(all.slice(0, 1));
});

test("nothing that is under way is planned as if it were new", async () => {
  await start();
  const { command } = await untilSecondRound();
  await at.hub.approve(at.signer, envelope(needed));
  expect(await untilEnded(command)).toEqual({ state: "refused", code: "COMMAND_APPROVAL_MISSING" });
});

test("what began in time is gone on with, however late the later plan is approved", async () => {
  await start();
  const { command, second } = await untilSecondRound();
  await approve(second, { untilMs: Date.now() - 600_000 });
  expect(await untilEnded(command)).toMatchObject({ state: "succeeded" });
});

test("a cancel that comes while the later plan is made isn't an end without cleaning up", async () => {
  await start();
  const command = await at.hub.submit(at.signer, envelope(needed), { typ: approvalEnvelopeType });
  const digest = await untilPlanned(command, 1);
  let isAsked = false;
  at.runner.beforePlanned = async (task) => {
    if (task.id !== `${id}-2`) return;
    at.hub.cancel(id, Cancellation.GRACEFUL);
    isAsked = true;
    await until(() => task.signal.aborted, "the cancel is heard");
  };
  await approve(digest);
  await until(() => isAsked, "it is planned");
  await until(() => command.outcome !== undefined || command.isWaiting, "the claim is over");
  // As hubs do: who is to be cancelled isn't asked about.
  if (command.isWaiting) await approve(digest);
  expect(await untilEnded(command)).toEqual({ state: "cancelled", code: "COMMAND_CANCELLED" });
  expect(at.runner.effects).toEqual([all[0], all[3]]);
});
