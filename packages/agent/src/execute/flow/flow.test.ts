// How a flow goes from step to step, with a kind whose steps the test decides.
import { FairleadError, sleep } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { beforeEach, expect, test } from "vitest";
import { executeErrors } from "../errors.ts";
import { createCommandRunners } from "../runners.ts";
import type { RunResult, Task } from "../types.ts";
import { createFlows, type Flows, noKube, type ScriptedSpec, scriptedStep as step } from "./flows.fixture.ts";

let flows: Flows;
beforeEach(() => {
  flows = createFlows({ kube: noKube, namespace: "shop" });
});

const broken = new FairleadError({ code: "BROKEN", message: "it is broken." });

/** Steps that say so fail; others give what they say. */
const fail = ({ spec }: Task<ScriptedSpec>): RunResult =>
  spec["fails"] === true ? { json: {}, failure: broken } : { json: { outputs: spec["gives"] ?? {} } };

test("scenario 22: step 2 of 5 fails and may, the rest goes on, and the flow succeeds", async () => {
  flows.scripted.does = fail;
  const steps = [step("a"), step("b", { fails: true }, { continueOnError: true }), step("c"), step("d"), step("e")];
  const { outcomes, steps: told, failure } = await flows.play(steps);
  expect(outcomes).toEqual(["a: succeeded", "b: failed", "c: succeeded", "d: succeeded", "e: succeeded"]);
  expect(told[1]).toMatchObject({ conclusion: "succeeded", code: "BROKEN", message: "it is broken." });
  expect(failure).toBeUndefined();
});

test("scenario 22: step 2 of 5 fails, and of the rest only what is meant for that runs", async () => {
  flows.scripted.does = fail;
  const steps = [
    step("a"),
    step("b", { fails: true }),
    step("c"),
    step("notify", {}, { if: "failure() && steps.b.outcome == 'failed'" }),
    step("never", {}, { if: "success()" }),
    step("cleanup", {}, { always: true }),
  ];
  const { outcomes, failure } = await flows.play(steps);
  expect(outcomes).toEqual([
    "a: succeeded",
    "b: failed",
    "c: skipped",
    "notify: succeeded",
    "never: skipped",
    "cleanup: succeeded",
  ]);
  expect(failure).toMatchObject({ code: "FLOW_STEP_FAILED", message: "The step b failed: it is broken (BROKEN)." });
});

test("scenario 22: the output of a skipped step is null, and types stay what they are", async () => {
  flows.scripted.does = fail;
  const large = "x".repeat(700_000);
  const gives = { text: "x", count: 3, list: [1, { a: null }], none: null, flag: true, large };
  const { outcomes } = await flows.play([
    step("a", { gives }),
    step("skipped", {}, { if: "steps.a.outputs.count > 3" }),
    step("b", {
      none: "${steps.skipped.outputs.count}",
      count: "${steps.a.outputs.count}",
      own: "${steps.a.outputs.none}",
      list: "${steps.a.outputs.list}",
      flag: "${steps.a.outputs.flag}",
      large: "${steps.a.outputs.large}",
      text: "n=${steps.a.outputs.count}",
    }),
    step("c", {}, { if: "steps.skipped.outputs.count == null && steps.skipped.outcome == 'skipped'" }),
  ]);
  expect(outcomes).toEqual(["a: succeeded", "skipped: skipped", "b: succeeded", "c: succeeded"]);
  expect(flows.scripted.runs[1]?.spec).toEqual({
    does: "b",
    none: null,
    count: 3,
    own: null,
    list: [1, { a: null }],
    flag: true,
    large,
    text: "n=3",
    namespace: "shop",
  });
});

test("outputs that aren't there or don't fit fail the step that uses them, and too many the step that gives them", async () => {
  flows.scripted.does = fail;
  const large = "x".repeat(600_000);
  const { outcomes, steps } = await flows.play([
    step("a", { gives: { large } }),
    step("typo", { x: "${steps.a.outputs.lage}" }, { continueOnError: true }),
    step("b", { gives: { large } }, { continueOnError: true }),
    step("c", {}, { if: "steps.a.outputs.large", continueOnError: true }),
  ]);
  expect(outcomes).toEqual(["a: succeeded", "typo: failed", "b: failed", "c: failed"]);
  expect(steps.map(({ code }) => code)).toEqual([
    undefined,
    "FLOW_OUTPUT_UNUSABLE",
    "FLOW_OUTPUTS_TOO_LARGE",
    "FLOW_CONDITION_FAILED",
  ]);
  expect(steps[1]?.message).toContain("the step has no output lage; it has large");
});

test("what is known to be secret is neither an output nor a result, also when another agent tells it", async () => {
  flows.scripted.does = async (task) => {
    task.secrets.conceal("c4nary-value");
    return { json: { outputs: { leak: "<c4nary-value>" }, text: "c4nary-value" } };
  };
  const task = flows.task([step("a"), step("b", { x: "${steps.a.outputs.leak}" })]);
  const { steps } = await flows.run(task);
  expect(flows.scripted.runs[1]?.spec["x"]).toBe("<***>");
  expect(JSON.stringify(steps) + task.record.json).not.toContain("c4nary");
});

test("what is secret by nature is handed on by where it is in the cluster", async () => {
  flows.scripted.does = ({ spec }) =>
    spec.does === "b"
      ? { json: {} }
      : { json: { outputs: [{ name: "password", sensitive: true }, { name: "host" }], outputsSecret: "shop/db" } };
  const { steps } = await flows.play([
    { id: "infra", tofu: {} },
    step("b", { url: "x:${steps.infra.outputs.password}@${steps.infra.outputs.host}" }),
    step("c", { part: "${steps.infra.outputs.host.name}" }, { continueOnError: true }),
  ]);
  expect(flows.scripted.runs[1]?.spec["url"]).toBe("x:${secret:shop/db/password}@${secret:shop/db/host}");
  expect(steps[0]).toMatchObject({ outputs: { password: "${secret:shop/db/password}" } });
  expect(steps[2]).toMatchObject({ outcome: "failed", code: "FLOW_OUTPUT_UNUSABLE" });
});

test("a step is tried again as often as it says, with nothing of the attempt before", async () => {
  let attempts = 0;
  flows.scripted.does = async (task) => {
    await task.state.write({ attempt: ++attempts });
    return attempts < 3 ? { json: {}, failure: broken } : { json: {} };
  };
  const { steps, failure } = await flows.play([step("a", {}, { retry: { attempts: 5, delaySeconds: 0.01 } })]);
  expect(steps).toMatchObject([{ outcome: "succeeded", attempts: 3 }]);
  expect(flows.scripted.runs.map(({ state }) => state)).toEqual([undefined, undefined, undefined]);
  expect(failure).toBeUndefined();
  attempts = -5;
  const short = await flows.play([step("a", {}, { retry: { attempts: 2 } })]);
  expect(short).toMatchObject({ steps: [{ outcome: "failed", attempts: 2 }], failure: { code: "FLOW_STEP_FAILED" } });
});

test("a step's time ends the step alone: in order first", async () => {
  flows.scripted.does = async ({ spec, signal }) => {
    if (spec.does !== "slow") return { json: {} };
    await sleep(60_000, { signal }).catch(() => undefined);
    return { json: { far: 1 }, failure: executeErrors.COMMAND_CANCELLED() };
  };
  const { steps, outcomes, failure } = await flows.play([
    step("slow", {}, { timeoutSeconds: 1, retry: { attempts: 3 } }),
    step("after"),
    step("cleanup", {}, { always: true }),
  ]);
  expect(outcomes).toEqual(["slow: failed", "after: skipped", "cleanup: succeeded"]);
  expect(steps[0]).toMatchObject({ code: "FLOW_STEP_TIMEOUT", result: { far: 1 } });
  expect(failure).toMatchObject({ code: "FLOW_STEP_FAILED" });
});

test("scenario 25: a cancel inside of a step and what is left after it: cleanup alone, with a signal of its own", async () => {
  const seen: string[] = [];
  flows.scripted.does = async (task) => {
    seen.push(`${task.spec.does} ${task.signal.aborted}`);
    task.mayAct();
    if (task.spec.does !== "slow") return { json: {} };
    await sleep(60_000, { signal: task.signal }).catch(() => undefined);
    task.mayAct({ repair: true });
    return { json: { far: 1 }, failure: executeErrors.COMMAND_CANCELLED() };
  };
  const task = flows.task([
    step("a"),
    step("slow", {}, { continueOnError: true }),
    step("after"),
    step("told", {}, { if: "cancelled()" }),
    step("cleanup", {}, { always: true }),
  ]);
  const running = flows.run(task);
  await until(() => seen.length === 2, "it is in the step");
  task.cancel();
  const { outcomes, steps, failure } = await running;
  expect(outcomes).toEqual([
    "a: succeeded",
    "slow: cancelled",
    "after: skipped",
    "told: succeeded",
    "cleanup: succeeded",
  ]);
  expect(steps[1]).toMatchObject({ result: { far: 1 } });
  expect(seen).toEqual(["a false", "slow false", "told false", "cleanup false"]);
  expect(failure).toMatchObject({ code: "COMMAND_CANCELLED" });
});

test("scenario 25: a cancel between steps, one that comes too late, and a forced one, which ends cleanup as well", async () => {
  const steps = [step("a"), step("b"), step("cleanup", {}, { always: true })];
  const cancelIn = async (which: string, how: "graceful" | "forced") => {
    const task: { value?: ReturnType<typeof flows.task> } = {};
    flows.scripted.does = async ({ spec, signal }) => {
      if (spec.does === which) task.value?.cancel(how);
      if (spec.does === which && how === "forced") signal.throwIfAborted();
      return { json: {} };
    };
    task.value = flows.task(steps);
    const { outcomes, failure } = await flows.run(task.value);
    return [...outcomes, failure?.code];
  };
  const cancelled = "COMMAND_CANCELLED";
  expect(await cancelIn("a", "graceful")).toEqual(["a: succeeded", "b: skipped", "cleanup: succeeded", cancelled]);
  expect(await cancelIn("cleanup", "graceful")).toEqual([
    "a: succeeded",
    "b: succeeded",
    "cleanup: succeeded",
    undefined,
  ]);
  expect(await cancelIn("b", "forced")).toEqual(["a: succeeded", "b: cancelled", "cleanup: skipped", cancelled]);
});

test("a step that was under way is handed to its kind with what it remembers, and keeps its time", async () => {
  const steps = [step("a"), step("b", {}, { retry: { attempts: 3 } }), step("c")];
  const dying: { task?: ReturnType<typeof flows.task> } = {};
  flows.scripted.does = async (task) => {
    if (task.spec.does !== "b") return { json: {} };
    await task.state.write({ did: "half" });
    dying.task?.lose();
    task.mayAct({ repair: true });
    return { json: {} };
  };
  dying.task = flows.task(steps);
  await expect(flows.run(dying.task)).rejects.toMatchObject({ code: "COMMAND_LEASE_LOST" });
  flows.scripted.does = () => ({ json: {} });
  const { outcomes } = await flows.play(steps, { record: dying.task.record.json });
  expect(outcomes).toEqual(["a: succeeded", "b: succeeded", "c: succeeded"]);
  expect(flows.scripted.runs.map(({ spec, state }) => [spec.does, state])).toEqual([
    ["a", undefined],
    ["b", undefined],
    ["b", { did: "half" }],
    ["c", undefined],
  ]);
});

test("a cancelled flow whose agent died is put right by the next one: what was begun, and cleanup", async () => {
  const steps = [step("a"), step("b"), step("cleanup", {}, { always: true })];
  const dying: { task?: ReturnType<typeof flows.task> } = {};
  flows.scripted.does = async (task) => {
    await task.state.write({ did: "half" });
    dying.task?.lose();
    return { json: {} };
  };
  dying.task = flows.task(steps);
  await flows.run(dying.task).catch(() => undefined);
  flows.scripted.does = ({ spec, signal }) => {
    if (spec.does !== "cleanup") signal.throwIfAborted();
    return { json: {} };
  };
  const next = flows.task(steps, { record: dying.task.record.json });
  next.cancel();
  const { outcomes, failure } = await flows.run(next);
  expect(outcomes).toEqual(["a: cancelled", "b: skipped", "cleanup: succeeded"]);
  expect(failure).toMatchObject({ code: "COMMAND_CANCELLED" });
  expect(flows.scripted.runs.map(({ spec, state }) => [spec.does, state]).slice(1)).toEqual([
    ["a", { did: "half" }],
    ["cleanup", undefined],
  ]);
});

test("an agent that stops between two attempts leaves the next one to the next agent", async () => {
  const steps = [step("a", {}, { retry: { attempts: 3, delaySeconds: 60 } })];
  flows.scripted.does = () => ({ json: {}, failure: broken });
  const task = flows.task(steps);
  const running = flows.run(task).catch((error: unknown) => error);
  await until(() => task.lines.some((line) => line.includes("attempt 1 of 3 failed")), "it has failed once");
  task.lose();
  expect(await running).toMatchObject({ code: "COMMAND_LEASE_LOST" });
  flows.scripted.does = () => ({ json: {} });
  const { steps: told } = await flows.play(steps, { record: task.record.json });
  expect(told).toMatchObject([{ outcome: "succeeded", attempts: 2 }]);
});

test("plans that the hub wouldn't keep are left out, and count all the same", async () => {
  const long = (length: number) => step("b", { text: "x".repeat(length) });
  const [small, large] = await Promise.all([1, 900_000].map((each) => flows.plan(flows.task([long(each)]))));
  expect(large?.json).toMatchObject({ steps: [{ planOmitted: true }] });
  expect(large?.digest).not.toBe(small?.digest);
});

test("an agent that stops leaves the flow as it is", async () => {
  const stopped = executeErrors.COMMAND_AGENT_STOPS();
  flows.scripted.does = () => ({ json: {}, failure: stopped });
  const task = flows.task([step("a", {}, { continueOnError: true, retry: { attempts: 3 } }), step("b")]);
  await expect(flows.run(task)).rejects.toBe(stopped);
  expect(flows.scripted.runs).toHaveLength(1);
});

test("a plan has the steps that can be planned now, in their order", async () => {
  const steps = [
    step("a", { replicas: 1 }),
    step("b", { x: "${steps.a.outputs.x}" }),
    step("c", {}, { if: "steps.a.outputs.x == 1" }),
  ];
  const { json, isEmpty, digest } = await flows.plan(flows.task(steps));
  expect(json).toMatchObject({
    steps: [
      { id: "a", kind: "scripted", known: true, plan: { replicas: 1 } },
      { id: "b", known: false, why: "it uses outputs of a" },
      { id: "c", known: true, if: "steps.a.outputs.x == 1" },
    ],
  });
  expect(isEmpty).toBe(false);
  expect(flows.scripted.runs).toEqual([]);
  expect((await flows.plan(flows.task(steps))).digest).toBe(digest);
  expect((await flows.plan(flows.task([...steps, step("d")]))).digest).not.toBe(digest);
  flows.scripted.plans = () => "something else";
  expect((await flows.plan(flows.task(steps))).digest).not.toBe(digest);
});

test("scenario 26: what was approved is done step by step as it was shown, or nothing is", async () => {
  const steps = [step("a"), step("b"), step("c")];
  const planning = flows.task(steps);
  const { digest } = await flows.plan(planning);
  const { failure } = await flows.play(steps, { approvedDigest: digest, record: planning.record.json });
  expect(failure).toBeUndefined();
  expect(flows.scripted.runs.map((run) => typeof run.digest)).toEqual(["string", "string", "string"]);
  flows.scripted.runs.length = 0;
  flows.scripted.plans = () => "it has changed";
  await expect(flows.play(steps, { approvedDigest: digest })).rejects.toMatchObject({ code: "COMMAND_PLAN_STALE" });
  expect(flows.scripted.runs).toEqual([]);
});

test("a later step that can't be planned yet isn't the plan's failure; the first one is", async () => {
  flows.scripted.plans = ({ spec }) => {
    if (spec.does === "broken") throw broken;
    return spec;
  };
  const later = await flows.plan(flows.task([step("a"), step("broken")]));
  expect([later.failure, later.json]).toMatchObject([undefined, { steps: [{}, { known: false, code: "BROKEN" }] }]);
  const first = await flows.plan(flows.task([step("broken"), step("a")]));
  expect(first.failure).toMatchObject({ code: "FLOW_STEP_FAILED" });
});

test("kinds that the policy doesn't allow are refused before anything is begun", async () => {
  const allowsKind = (kind: string): boolean => kind !== "tofu";
  const task = flows.task([waitStep("w"), { id: "a", tofu: {} }], { allowsKind });
  await expect(flows.run(task)).rejects.toMatchObject({ code: "COMMAND_KIND_UNAVAILABLE" });
  expect(task.record.json).toBeUndefined();
});

test.each([
  ["no step", [], "steps: a flow has a step at least"],
  ["too many", Array.from({ length: 51 }, (_, index) => step(`s${index}`)), "50 steps at most"],
  ["two of a name", [step("a"), step("a")], "two steps have the ID a"],
  ["no kind", [{ id: "a" }], "step a: it has no kind"],
  ["two kinds", [{ ...step("a"), wait: {} }], "step a: a step has one kind"],
  ["a flow", [{ id: "a", flow: { name: "x", steps: [] } }], "step a: a flow can't be a step of a flow"],
  ["a kind that isn't one", [{ id: "a", shell: {} }], "step a: steps have no member shell"],
  ["no spec", [{ id: "a", tofu: [] }], "step a: tofu isn't an object"],
  ["an id that isn't one", [step("A")], "steps.0.id"],
  [
    "an if that isn't one",
    [step("a", {}, { if: "steps.a.outcome == 'failed'" })],
    "step a: if: there is no step a before",
  ],
  [
    "a reference to a later step",
    [step("a", { x: "${steps.b.outputs.x}" }), step("b")],
    "there is no step b before this",
  ],
  ["a set that isn't one", [{ id: "a", manifests: { set: "x", manifests: "kind: [" } }], "step a: document 1, line 1"],
  ["a wait that isn't one", [{ id: "a", wait: { apiVersion: "v1" } }], "step a: kind"],
])("%s is refused", (_name, steps, message) => {
  expect(() => flows.task(steps)).toThrow(message);
});

test("a kind that this agent doesn't have is named", () => {
  expect(() => flows.task([{ id: "a", helm: {} }])).toThrow("doesn't run commands of the kind helm");
});

test("the agent's own flows take each kind that the agent has", () => {
  const manifests = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}";
  const steps = [waitStep("w"), { id: "a", manifests: { set: "x", manifests } }];
  expect(createCommandRunners().flow?.parse({ name: "flow", steps })).toMatchObject({
    steps: [{ kind: "wait" }, { kind: "manifests" }],
  });
});

function waitStep(id: string): object {
  return { id, wait: { apiVersion: "v1", kind: "Pod", name: "p", until: "ready" } };
}
