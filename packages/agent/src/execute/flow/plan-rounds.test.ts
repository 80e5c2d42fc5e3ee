// Steps that can't be planned before the flow begins: people are asked again when it comes to them.
import { FairleadError } from "@fairlead/kernel";
import { beforeEach, expect, test } from "vitest";
import type { TestTask, TestTaskOptions } from "../task.fixture.ts";
import { createFlows, type Flows, noKube, scriptedStep as step } from "./flows.fixture.ts";
import type { FlowSpec } from "./types.ts";

let flows: Flows;
beforeEach(() => {
  flows = createFlows({ kube: noKube, namespace: "shop" });
  flows.scripted.does = ({ spec }) => ({ json: { outputs: { name: `${spec.does}-made` } } });
});

const two = [
  step("one"),
  step("two", { name: "${steps.one.outputs.name}" }),
  step("three"),
  step("cleanup", {}, { always: true }),
];
const ran = (): unknown[] => flows.scripted.runs.map(({ spec }) => spec.does);
type Options = Partial<TestTaskOptions<FlowSpec>>;

/** Its first plan is approved, and it has come as far as it goes. */
async function playUntilAsked(steps: readonly object[] = two, options: Options = {}) {
  const planning = flows.task(steps);
  const { digest } = await flows.plan(planning);
  const task = flows.task(steps, { approvedDigest: digest, record: planning.record.json, ...options });
  return { task, first: digest, told: await flows.run(task) };
}

/** As another agent does. */
const goOn = (steps: readonly object[], { record }: TestTask<FlowSpec>, approvedDigest: string | undefined) =>
  flows.task(steps, { approvedDigest, record: record.json });

test("a step that uses an output is planned with it, and is carried out once that is approved; nothing is done twice", async () => {
  const { task, told, first } = await playUntilAsked();
  expect(ran()).toEqual(["one"]);
  expect(told.asks).toMatchObject({ isEmpty: false });
  expect(told.asks?.digest).not.toBe(first);
  expect(told.asks?.json).toEqual({
    steps: [
      { id: "one", kind: "scripted", outcome: "succeeded" },
      {
        id: "two",
        kind: "scripted",
        known: true,
        isEmpty: false,
        plan: { does: "two", name: "one-made", namespace: "shop" },
      },
      { id: "three", kind: "scripted", known: true, isApproved: true },
      { id: "cleanup", kind: "scripted", known: true, isApproved: true },
    ],
  });
  const { outcomes, failure, asks } = await flows.run(goOn(two, task, told.asks?.digest));
  expect([failure, asks]).toEqual([undefined, undefined]);
  expect(outcomes).toEqual(["one: succeeded", "two: succeeded", "three: succeeded", "cleanup: succeeded"]);
  expect(ran()).toEqual(["one", "two", "three", "cleanup"]);
  expect(flows.scripted.runs.every(({ digest }) => typeof digest === "string")).toBe(true);
});

test("the record says which plan each step was carried out by", async () => {
  const { task, told } = await playUntilAsked();
  const next = goOn(two, task, told.asks?.digest);
  await flows.run(next);
  const { steps } = JSON.parse(next.record.json ?? "") as { steps: { approvedDigest?: string }[] };
  expect(steps.map(({ approvedDigest }) => approvedDigest)).toEqual(flows.scripted.runs.map(({ digest }) => digest));
});

test("there are as many rounds as steps that can't be planned before", async () => {
  const steps = [...two.slice(0, 2), step("three", { name: "${steps.two.outputs.name}" })];
  const { task, told } = await playUntilAsked(steps);
  expect(told.asks?.json).toMatchObject({
    steps: [{}, {}, { known: false, why: "it is planned when the flow reaches it" }],
  });
  const second = goOn(steps, task, told.asks?.digest);
  const { asks } = await flows.run(second);
  expect(asks?.json).toMatchObject({ steps: [{}, { outcome: "succeeded" }, { plan: { name: "two-made" } }] });
  await flows.run(goOn(steps, second, asks?.digest));
  expect(ran()).toEqual(["one", "two", "three"]);
});

test("an approval of another plan lets nothing happen that it isn't for: people are asked again", async () => {
  const { task, first } = await playUntilAsked();
  for (const digest of [first, "e".repeat(64)]) {
    const { asks } = await flows.run(goOn(two, task, digest));
    expect(asks).toBeDefined();
  }
  expect(ran()).toEqual(["one"]);
});

test("an agent that died before it told the plan makes it again", async () => {
  const { task, told, first } = await playUntilAsked();
  flows.scripted.plans = ({ spec }) => ({ ...spec, now: "other" });
  const again = await flows.run(goOn(two, task, first));
  expect(again.asks?.json).toMatchObject({ steps: [{}, { plan: { now: "other" } }, {}, {}] });
  expect(again.asks?.digest).not.toBe(told.asks?.digest);
});

test("a step that would change nothing needs no approval, and neither does a flow that needs none", async () => {
  flows.scripted.plans = ({ spec }) => (spec["name"] === undefined ? spec : "nothing");
  const { told } = await playUntilAsked();
  expect(told.asks).toBeUndefined();
  expect(ran()).toEqual(["one", "two", "three", "cleanup"]);
  flows.scripted.runs.length = 0;
  flows.scripted.plans = () => expect.unreachable("nothing is planned");
  expect((await flows.play(two)).asks).toBeUndefined();
  expect(ran()).toEqual(["one", "two", "three", "cleanup"]);
});

test("a skipped step isn't asked about", async () => {
  const steps = [step("one"), step("two", { name: "${steps.one.outputs.name}" }, { if: "failure()" }), step("three")];
  const { told } = await playUntilAsked(steps);
  expect(told.outcomes).toEqual(["one: succeeded", "two: skipped", "three: succeeded"]);
});

test("a flow that is cancelled while people are asked runs what cleans up, and what was approved for that alone", async () => {
  const steps = [...two, step("late", { name: "${steps.one.outputs.name}" }, { always: true })];
  const { task, first } = await playUntilAsked(steps);
  const next = goOn(steps, task, first);
  next.cancel();
  const { outcomes, steps: told, failure } = await flows.run(next);
  expect(outcomes).toEqual(["one: succeeded", "two: skipped", "three: skipped", "cleanup: succeeded", "late: skipped"]);
  expect(told[4]).toMatchObject({ code: "FLOW_STEP_UNAPPROVED" });
  expect(failure).toMatchObject({ code: "COMMAND_CANCELLED" });
  expect(ran()).toEqual(["one", "cleanup"]);
});

test("a step that cleans up and isn't approved isn't carried out by a cancel", async () => {
  const steps = [step("one"), step("late", { name: "${steps.one.outputs.name}" }, { always: true })];
  const { task, first, told } = await playUntilAsked(steps);
  expect(told.asks).toBeDefined();
  const next = goOn(steps, task, first);
  next.cancel();
  const { outcomes, failure } = await flows.run(next);
  expect([outcomes[1], failure?.code]).toEqual(["late: skipped", "COMMAND_CANCELLED"]);
  expect(ran()).toEqual(["one"]);
});

test("a step that can't be planned fails when its attempts are used up, and the flow goes on as after any failure", async () => {
  let left = 1;
  flows.scripted.plans = ({ spec }) => {
    if (spec["name"] !== undefined && left-- > 0) throw new FairleadError({ code: "BROKEN", message: "it is broken." });
    return spec;
  };
  const retried = [step("one"), step("two", { name: "${steps.one.outputs.name}" }, { retry: { attempts: 2 } })];
  expect((await playUntilAsked(retried)).told.asks).toBeDefined();
  left = 1;
  const { told } = await playUntilAsked();
  expect(told.outcomes).toEqual(["one: succeeded", "two: failed", "three: skipped", "cleanup: succeeded"]);
  expect(told.steps[1]).toMatchObject({ code: "BROKEN", message: "it is broken." });
});
