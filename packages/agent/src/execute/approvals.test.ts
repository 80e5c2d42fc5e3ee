// Commands that people approve, against a scripted hub over real links: planned under one claim, carried out under another.
import { join } from "node:path";
import { untilAbort } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { approvalEnvelopeType, Cancellation, type EnvelopeApproval, envelopeType } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { StepsRunner } from "./executing.fixture.ts";
import { untilEnded, useHubAndAgents } from "./hub-and-agents.fixture.ts";
import { digestOfPlan } from "./plan-digest.ts";
import { createFileRecords, type RecordLife } from "./records/index.ts";
import type { HubCommand } from "./scripted-hub.fixture.ts";
import { testEnvelope } from "./signing.fixture.ts";

const at = useHubAndAgents();
const id = "cmd_gated";

const { start } = at;
const needed: EnvelopeApproval = { is: "needed", keptMs: 60_000 };
const given = (digest: string, changes: object = {}): EnvelopeApproval => ({
  is: "given",
  digest,
  by: ["bob"],
  untilMs: Date.now() + 60_000,
  keptMs: 60_000,
  ...changes,
});

function envelope(approval: EnvelopeApproval | undefined, steps = 2): ReturnType<typeof testEnvelope> {
  const times = { issuedAtMs: Date.now(), expiresAtMs: Date.now() + 60_000 };
  return testEnvelope({ id, spec: { steps }, ...times, approval });
}

const submit = (steps = 2): Promise<HubCommand> =>
  at.hub.submit(at.signer, envelope(needed, steps), { typ: approvalEnvelopeType });

async function untilPlanned(command: HubCommand): Promise<string> {
  await until(() => command.isWaiting, "it is planned");
  return command.plans.at(-1)?.planDigest ?? "";
}

async function lifeOf(folder: string): Promise<RecordLife | undefined> {
  const found = await createFileRecords({ folder: join(folder, "commands") }).find(id, AbortSignal.timeout(5_000));
  return found?.record.life;
}

test("it is planned and recorded, leaves its place to others, and what was approved is done, once", async () => {
  const agent = await start({ parallel: 1 });
  const command = await submit();
  const digest = await untilPlanned(command);
  const plan = JSON.parse(Buffer.from(command.plans[0]?.resultJson ?? []).toString());
  expect([plan, at.runner.effects]).toEqual([{ would: 2 }, []]);
  expect(await lifeOf(agent.folder)).toMatchObject({ is: "planned", digests: { shown: digest } });
  await until(() => agent.executing.heldCount === 0, "its place is free");
  const plain = await at.hub.submit(at.signer, testEnvelope({ ...envelope(undefined, 1), id: "cmd_plain" }));
  await untilEnded(plain);
  const told: (string | undefined)[] = [];
  at.runner.before = (_step, task) => void told.push(task.approvedDigest);
  await at.hub.approve(at.signer, envelope(given(digest)));
  expect(await untilEnded(command)).toMatchObject({ state: "succeeded" });
  expect(at.runner.effects).toEqual(["cmd_plain/1", `${id}/1`, `${id}/2`]);
  const own = digestOfPlan({ would: 2 });
  expect(told).toEqual([own, own]);
  expect(at.runner.plans).toEqual([id]);
  expect(command.states.filter((state) => state !== "resolving")).toEqual([
    "running",
    "planned",
    "applying",
    "succeeded",
  ]);
  await until(async () => (await lifeOf(agent.folder))?.is === "settled", "its record is settled");
  // The kind's own digest could be tried out on short secrets.
  expect(digest).toMatch(/^[0-9a-f]{64}$/);
  expect(digest).not.toBe(own);
});

test("a plan that changes nothing ends the command, and one that fails does", async () => {
  await start();
  const empty = await submit(0);
  expect(await untilEnded(empty)).toEqual({ state: "succeeded", code: "" });
  at.runner.plan = async () => {
    throw new Error("no");
  };
  const failing = { ...envelope(needed), id: "cmd_failing" };
  const command = await at.hub.submit(at.signer, failing, { typ: approvalEnvelopeType });
  expect(await untilEnded(command)).toEqual({ state: "failed", code: "COMMAND_FAILED" });
  expect([empty.plans, command.plans]).toEqual([[], []]);
});

test("a plan that is too large to be shown ends the command", async () => {
  await start();
  at.runner.plan = async () => ({ json: "x".repeat(1024 * 1024), digest: "d", isEmpty: false });
  expect(await untilEnded(await submit())).toEqual({ state: "failed", code: "COMMAND_PLAN_TOO_LARGE" });
});

test("a plan that the agent recorded and couldn't tell is told by the next one, and isn't made again", async () => {
  const first = await start();
  at.hub.fault = (call) => call === "report";
  const command = await submit();
  await until(async () => (await lifeOf(first.folder))?.is === "planned", "the plan is recorded");
  first.kill();
  at.hub.fault = () => false;
  const next = new StepsRunner();
  await start({ folder: first.folder, runner: next });
  at.hub.offerAgain(id);
  const digest = await untilPlanned(command);
  expect(await lifeOf(first.folder)).toMatchObject({ digests: { shown: digest } });
  await at.hub.approve(at.signer, envelope(given(digest)));
  expect(await untilEnded(command)).toMatchObject({ state: "succeeded" });
  expect([at.runner.plans, next.plans, at.runner.effects]).toEqual([[id], [], []]);
  expect(next.effects).toEqual([`${id}/1`, `${id}/2`]);
  expect(command.outcomes).toBe(1);
});

test("an agent that is killed while it plans is followed by one that plans anew", async () => {
  const first = await start();
  at.runner.beforePlanned = () => new Promise(() => undefined);
  const command = await submit();
  await until(() => at.runner.plans.length === 1, "it plans");
  first.kill();
  const next = new StepsRunner();
  await start({ folder: first.folder, runner: next });
  at.hub.offerAgain(id);
  await untilPlanned(command);
  expect([next.plans, command.plans.length]).toEqual([[id], 1]);
});

test("an agent that is killed between approval and effect, and one in the middle, are followed by one that ends it", async () => {
  const first = await start();
  const command = await submit(3);
  const digest = await untilPlanned(command);
  first.kill();
  await at.hub.approve(at.signer, envelope(given(digest), 3));
  const second = new StepsRunner();
  second.before = async (step) => {
    if (step === 2) await new Promise(() => undefined);
  };
  const killed = await start({ folder: first.folder, runner: second });
  await until(() => second.effects.length === 1, "one step is done");
  killed.kill();
  const third = new StepsRunner();
  await start({ folder: first.folder, runner: third });
  at.hub.offerAgain(id);
  expect(await untilEnded(command)).toMatchObject({ state: "succeeded" });
  expect([...second.effects, ...third.effects]).toEqual([1, 2, 3].map((step) => `${id}/${step}`));
  expect([command.outcomes, command.plans.length]).toEqual([1, 1]);
});

test("an answer about a plan that is cut costs nothing, and people are asked once", async () => {
  let left = 2;
  at.hub.fault = (call, place) => call === "report" && place === "after" && left-- > 0;
  await start();
  const command = await submit();
  await untilPlanned(command);
  expect([command.plans.length, at.runner.plans.length]).toEqual([1, 1]);
});

test("a plan that nobody will approve any more takes no room in the cluster", async () => {
  const first = await start();
  const command = await submit();
  const digest = await untilPlanned(command);
  await until(() => first.executing.heldCount === 0, "the claim is over");
  await first.executing.stop({ drainMs: 0 });
  await start({ folder: first.folder });
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await lifeOf(first.folder)).toMatchObject({ is: "planned", digests: { shown: digest } });
  // As when somebody rejected it.
  at.hub.commands.delete(id);
  await start({ folder: first.folder });
  await until(async () => (await lifeOf(first.folder))?.is === "settled", "the plan is let go");
});

test.each<[what: string, approval: (digest: string) => EnvelopeApproval | undefined, code: string]>([
  ["of another plan", () => given("e".repeat(64)), "COMMAND_APPROVAL_MISMATCH"],
  ["whose time is over", (digest) => given(digest, { untilMs: Date.now() - 600_000 }), "COMMAND_EXPIRED"],
])("an approval %s is refused, and nothing is done", async (_what, approval, code) => {
  await start();
  const command = await submit();
  const digest = await untilPlanned(command);
  await at.hub.approve(at.signer, envelope(approval(digest)));
  expect(await untilEnded(command)).toEqual({ state: "refused", code });
  expect(at.runner.effects).toEqual([]);
});

test("what was approved isn't done as something else, before it is begun or after", async () => {
  const first = await start();
  const command = await submit();
  const digest = await untilPlanned(command);
  await at.hub.approve(at.signer, envelope(given(digest), 3));
  expect(await untilEnded(command)).toEqual({ state: "refused", code: "COMMAND_APPROVAL_MISMATCH" });
  // Begun as it was approved, and offered again as another one.
  at.runner.before = () => new Promise(() => undefined);
  await at.hub.approve(at.signer, envelope(given(digest)));
  Object.assign(command, { outcome: undefined, leaseEndsMs: 0 });
  at.hub.offerAgain(id);
  await until(() => command.states.at(-1) === "applying", "it is begun");
  first.kill();
  const next = new StepsRunner();
  await start({ folder: first.folder, runner: next });
  command.envelope = await at.signer.sign(envelope(given(digest), 3), { typ: approvalEnvelopeType });
  at.hub.offerAgain(id);
  expect(await untilEnded(command)).toEqual({ state: "refused", code: "COMMAND_APPROVAL_MISMATCH" });
  expect([...at.runner.effects, ...next.effects]).toEqual([]);
});

test("without an approval nothing is done that was planned for one, nor by one that this cluster knows nothing of", async () => {
  await start();
  const command = await submit();
  const digest = await untilPlanned(command);
  command.isWaiting = false;
  command.envelope = await at.signer.sign(envelope(undefined));
  at.hub.offerAgain(id);
  expect(await untilEnded(command)).toEqual({ state: "refused", code: "COMMAND_APPROVAL_MISSING" });
  await start({ folder: `${at.running[0]?.folder}-elsewhere` });
  const foreign = { ...envelope(given(digest)), id: "cmd_foreign" };
  const other = await at.hub.submit(at.signer, foreign, { typ: approvalEnvelopeType });
  expect(await untilEnded(other)).toEqual({ state: "refused", code: "COMMAND_PLAN_MISSING" });
  expect(at.runner.effects).toEqual([]);
});

test("what needs approval doesn't pass for what needs none, nor the other way", async () => {
  await start();
  const plain = await at.hub.submit(at.signer, envelope(needed), { typ: envelopeType });
  expect(await untilEnded(plain)).toEqual({ state: "refused", code: "COMMAND_UNSIGNED" });
  const other = { ...envelope(undefined), id: "cmd_other" };
  const gated = await at.hub.submit(at.signer, other, { typ: approvalEnvelopeType });
  expect(await untilEnded(gated)).toEqual({ state: "refused", code: "COMMAND_UNSIGNED" });
  expect([at.runner.plans, at.runner.effects]).toEqual([[], []]);
});

test("what has changed since it was planned isn't done", async () => {
  await start();
  const command = await submit();
  const digest = await untilPlanned(command);
  at.runner.run = async (task) => {
    expect(task.state.read()).toEqual({ planned: task.approvedDigest });
    await task.state.write({ planned: "other" });
    return await StepsRunner.prototype.run.call(at.runner, task);
  };
  await at.hub.approve(at.signer, envelope(given(digest)));
  expect(await untilEnded(command)).toEqual({ state: "failed", code: "COMMAND_PLAN_STALE" });
  expect(at.runner.effects).toEqual([]);
});

test("scenario 25: a cancel while it is planned ends it, and so does one before it is begun and one in the middle", async () => {
  await start();
  at.runner.beforePlanned = (task) => untilAbort(task.signal);
  const planning = await submit();
  await until(() => at.runner.plans.length === 1, "it plans");
  at.hub.cancel(id, Cancellation.GRACEFUL);
  expect(await untilEnded(planning)).toEqual({ state: "cancelled", code: "COMMAND_CANCELLED" });
  at.runner.beforePlanned = () => undefined;
  for (const [name, isBegun] of [
    ["cmd_early", false],
    ["cmd_late", true],
  ] as const) {
    const command = await at.hub.submit(at.signer, { ...envelope(needed), id: name }, { typ: approvalEnvelopeType });
    const digest = await untilPlanned(command);
    if (!isBegun) command.cancellation = Cancellation.GRACEFUL;
    at.runner.before = (_step, task) => untilAbort(task.signal);
    await at.hub.approve(at.signer, { ...envelope(given(digest)), id: name });
    await until(() => command.states.includes("applying") || !isBegun, "it is at work");
    at.hub.cancel(name, Cancellation.GRACEFUL);
    expect(await untilEnded(command)).toEqual({ state: "cancelled", code: "COMMAND_CANCELLED" });
  }
  expect(at.runner.effects).toEqual([]);
});
