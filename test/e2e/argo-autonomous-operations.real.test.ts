// Operations that an autonomous cluster starts itself. The test plays Argo CD's controller.
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type AutonomousHarness, openAutonomousHarness, there } from "./argo-autonomous-harness.fixture.ts";

const patience = { timeout: 60_000, interval: 50 };
let harness: AutonomousHarness;

beforeAll(async () => {
  harness = await openAutonomousHarness();
}, 300_000);
afterAll(() => harness?.[Symbol.asyncDispose]());

test("TerminateOperation_Autonomous: an operation that the cluster started itself isn't on the hub, and is ended from there", async () => {
  await harness.make("own-run");
  await expect.poll(() => harness.mirror("own-run"), patience).toBeDefined();
  const operation = { sync: { revision: "main" } };
  const operationState = { operation, phase: "Running", startedAt: "2026-01-02T00:00:00Z" };
  await harness.patch(there, "own-run", { operation, status: { operationState } });
  await expect
    .poll(() => harness.mirror("own-run"), patience)
    .toMatchObject({ status: { operationState: { phase: "Running" } } });
  expect(await harness.mirror("own-run")).not.toHaveProperty("operation");
  const path = "/api/v1/clusters/edge/applications/edge/own-run/terminate";
  expect((await requestHub(harness.hub, path, { method: "POST", body: "{}" })).status).toBe(200);
  await expect
    .poll(() => harness.read(there, "own-run"), patience)
    .toMatchObject({ status: { operationState: { phase: "Terminating" } } });
  await harness.patch(there, "own-run", { operation: null, status: { operationState: { phase: "Failed" } } });
  await expect
    .poll(() => harness.mirror("own-run"), patience)
    .toMatchObject({ status: { operationState: { phase: "Failed" } } });
});
