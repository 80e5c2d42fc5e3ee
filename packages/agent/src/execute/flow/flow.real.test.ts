// Flows on a real API server: sets of manifests, waits, and what goes from one to the other.
import { until } from "@fairlead/kernel/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Bed, configMap, openBed } from "../manifests/bed.fixture.ts";
import { apply, createFlows, type Flows } from "./flows.fixture.ts";

let bed: Bed;
let flows: Flows;
beforeEach(async () => {
  bed = await openBed();
  flows = createFlows(bed);
});
afterEach(() => bed[Symbol.asyncDispose]());

const waitFor = (id: string, wait: object, more: object = {}): object => ({
  ...{ id, wait: { apiVersion: "v1", kind: "ConfigMap", name: "signal", ...wait } },
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
  await until(async () => (await bed.names()).includes("a"), "the first set is there");
  await bed.send("POST", "configmaps", configMap("signal", { answer: "no" }));
  expect(await bed.names()).not.toContain("b");
  await bed.send("PATCH", "configmaps/signal", { data: { answer: "42" } });
  const { outcomes, steps, failure } = await running;
  expect([outcomes, failure]).toEqual([["first: succeeded", "seen: succeeded", "second: succeeded"], undefined]);
  expect(steps[1]).toMatchObject({ outputs: { answer: "42", all: { answer: "42" } } });
  expect((await bed.get("configmaps/b"))["data"]).toEqual({ text: "got 42", map: "42" });
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
  // Whoever ran the first step again would put this back.
  await bed.send("PATCH", "configmaps/a", { data: { v: "mine" } });
  await bed.send("POST", "configmaps", configMap("signal", { x: "1" }));
  const second = flows.task(steps, { record: killed.record.json });
  const { outcomes } = await flows.run(second);
  expect(outcomes).toEqual(["first: succeeded", "seen: succeeded", "second: succeeded"]);
  expect((await bed.get("configmaps/a"))["data"]).toEqual({ v: "mine" });
  const again = flows.task(steps, { record: second.record.json });
  expect((await flows.run(again)).outcomes).toEqual(outcomes);
  expect(again.lines).toEqual([]);
});
