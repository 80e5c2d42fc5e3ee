// Flows on a real API server: sets of manifests, waits, and what goes from one to the other.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { parse } from "yaml";
import { configMap, type Harness, openHarness } from "../manifests/harness.fixture.ts";
import { apply, createFlows, type Flows } from "./flows.fixture.ts";

let harness: Harness;
let flows: Flows;
beforeEach(async () => {
  harness = await openHarness();
  flows = createFlows(harness);
});
afterEach(() => harness[Symbol.asyncDispose]());

const waitFor = (id: string, wait: object, more: object = {}): object => ({
  id,
  wait: { apiVersion: "v1", kind: "ConfigMap", name: "signal", ...wait },
  ...more,
});

test("scenario 22: two sets and a wait between them, with what the wait saw", async () => {
  const text = "${steps.seen.outputs.answer}";
  const running = flows.play([
    apply("first", [configMap("a")]),
    waitFor("seen", {
      until: { field: "data.answer", matches: "4*" },
      outputs: { answer: "data.answer", all: "data" },
    }),
    apply("second", [configMap("b", { text: `got ${text}`, map: "${steps.seen.outputs.all.answer}" })]),
  ]);
  await until(async () => (await harness.names()).includes("a"), "the first set is there");
  await harness.send("POST", "configmaps", configMap("signal", { answer: "no" }));
  expect(await harness.names()).not.toContain("b");
  await harness.send("PATCH", "configmaps/signal", { data: { answer: "42" } });
  const { outcomes, steps, failure } = await running;
  expect([outcomes, failure]).toEqual([["first: succeeded", "seen: succeeded", "second: succeeded"], undefined]);
  expect(steps[1]).toMatchObject({ outputs: { answer: "42", all: { answer: "42" } } });
  expect((await harness.get("configmaps/b"))["data"]).toEqual({ text: "got 42", map: "42" });
});

test("scenario 22: an agent that dies between steps and inside of one is followed by one that runs no finished step again", async () => {
  const steps = [
    apply("first", [configMap("a", { v: "1" })]),
    waitFor("seen", { until: { field: "data", exists: true } }),
    apply("second", [configMap("b")]),
  ];
  const killed = flows.task(steps);
  const dying = flows.run(killed).catch((error: unknown) => error);
  await until(() => killed.lines.some((line) => line.startsWith("step seen")), "it waits");
  killed.lose();
  expect(await dying).toMatchObject({ code: "COMMAND_LEASE_LOST" });
  // A second run of the first step would undo this change.
  await harness.send("PATCH", "configmaps/a", { data: { v: "mine" } });
  await harness.send("POST", "configmaps", configMap("signal", { x: "1" }));
  const second = flows.task(steps, { record: killed.record.json });
  const { outcomes } = await flows.run(second);
  expect(outcomes).toEqual(["first: succeeded", "seen: succeeded", "second: succeeded"]);
  expect((await harness.get("configmaps/a"))["data"]).toEqual({ v: "mine" });
  const again = flows.task(steps, { record: second.record.json });
  expect((await flows.run(again)).outcomes).toEqual(outcomes);
  expect(again.lines).toEqual([]);
});

test("a wait ends when all objects of a selector are there and ready, with a list of what they have", async () => {
  const labels = { labels: { app: "shop" } };
  const wait = {
    name: undefined,
    selector: "app=shop",
    until: { field: "data.n", exists: true },
    outputs: { n: "data.n" },
  };
  const running = flows.play([waitFor("all", wait)]);
  await harness.send("POST", "configmaps", configMap("b", {}, labels));
  await harness.send("POST", "configmaps", configMap("a", { n: "1" }, labels));
  await harness.send("PATCH", "configmaps/b", { data: { n: "2" } });
  expect((await running).steps[0]).toMatchObject({ outputs: { n: ["1", "2"] } });
});

test("a wait goes on without the right to watch, and for a deletion", async () => {
  const blind = {
    ...harness.kube,
    pool: { ...harness.kube.pool, dispatch: () => void 0 },
  } as typeof harness.kube;
  await harness.send("POST", "configmaps", configMap("signal"));
  const running = flows.play([waitFor("gone", { until: "deleted" })], { kube: blind });
  await harness.send("DELETE", "configmaps/signal");
  expect((await running).outcomes).toEqual(["gone: succeeded"]);
});

test("a wait whose time is over says what it saw last, and so does one for a kind that isn't there", async () => {
  const wait = { until: "ready", timeoutSeconds: 1 };
  const absent = { ...wait, apiVersion: "example.com/v1", kind: "Gear" };
  const { steps } = await flows.play([waitFor("a", wait, { continueOnError: true }), waitFor("b", absent)]);
  expect(steps).toMatchObject([{ code: "FLOW_WAIT_TIMEOUT" }, { code: "FLOW_WAIT_TIMEOUT" }]);
  expect(steps.map(({ message }) => message)).toEqual([
    `ConfigMap ${harness.namespace}/signal didn't reach the expected state within 1 seconds: there is none yet.`,
    `Gear ${harness.namespace}/signal didn't reach the expected state within 1 seconds: this cluster has no Gear of example.com/v1.`,
  ]);
});

test("scenario 25: a cancel inside of a wait, and cleanup by a set of manifests after it", async () => {
  const steps = [
    apply("first", [configMap("a")]),
    waitFor("never", { until: "ready" }),
    { id: "cleanup", always: true, manifests: { set: "first", manifests: "", allowEmpty: true, prune: true } },
  ];
  const task = flows.task(steps);
  const running = flows.run(task);
  await until(() => task.lines.some((line) => line.includes("there is none yet")), "it waits");
  expect(await harness.names()).toContain("a");
  task.cancel();
  const { outcomes, failure } = await running;
  expect(outcomes).toEqual(["first: succeeded", "never: cancelled", "cleanup: succeeded"]);
  expect(failure).toMatchObject({ code: "COMMAND_CANCELLED" });
  expect(await harness.names()).not.toContain("a");
});

test("a plan of sets and waits says what would be, and changes nothing", async () => {
  const steps = [apply("first", [configMap("a")]), waitFor("seen", { until: "ready" })];
  const { json, isEmpty } = await flows.plan(flows.task(steps));
  expect(json).toMatchObject({
    steps: [
      { id: "first", known: true, isEmpty: false, plan: { objects: [{ name: "a", did: "created" }] } },
      { id: "seen", known: true, isEmpty: true, plan: { lack: "there is none yet" } },
    ],
  });
  expect(isEmpty).toBe(false);
  expect(await harness.names()).toEqual([]);
});

test("more objects than a wait looks at end it", async () => {
  const labels = { many: "1" };
  const objects = Array.from({ length: 501 }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `many-${index}`, namespace: harness.namespace, labels },
  }));
  await harness.cluster.putObjects("configmaps", objects);
  const { failure } = await flows.play([waitFor("all", { name: undefined, selector: "many=1", until: "ready" })]);
  expect(failure?.message).toContain("FLOW_WAIT_TOO_MANY");
});

test("the example does what it says", async () => {
  const text = await readFile(join(import.meta.dirname, "../../../../../deploy/examples/flow.yaml"), "utf8");
  const { steps } = parse(text) as { readonly steps: readonly object[] };
  const { outcomes, failure } = await flows.play(steps);
  expect([outcomes.every((outcome) => outcome.endsWith("succeeded")), failure]).toEqual([true, undefined]);
  const service = await harness.get("services/web");
  const { clusterIP } = service["spec"] as { readonly clusterIP: string };
  expect((await harness.get("configmaps/web-address"))["data"]).toEqual({ url: `http://${clusterIP}:80` });
  expect(await harness.names()).not.toContain("publish-web-lock");
});
