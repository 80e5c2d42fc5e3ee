// Operations that an autonomous cluster starts itself. The test plays Argo CD's controller.
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type AutonomousBed, openAutonomousBed, there } from "./argo-autonomous-bed.fixture.ts";

const patience = { timeout: 30_000, interval: 50 };
let bed: AutonomousBed;

beforeAll(async () => {
  bed = await openAutonomousBed();
}, 300_000);
afterAll(() => bed?.[Symbol.asyncDispose]());

test("TerminateOperation_Autonomous: an operation that the cluster started itself isn't on the hub, and is ended from there", async () => {
  await bed.make("own-run");
  await expect.poll(() => bed.mirror("own-run"), patience).toBeDefined();
  const operation = { sync: { revision: "main" } };
  const operationState = { operation, phase: "Running", startedAt: "2026-01-02T00:00:00Z" };
  await bed.patch(there, "own-run", { operation, status: { operationState } });
  await expect
    .poll(() => bed.mirror("own-run"), patience)
    .toMatchObject({ status: { operationState: { phase: "Running" } } });
  expect(await bed.mirror("own-run")).not.toHaveProperty("operation");
  const path = "/api/v1/clusters/edge/applications/edge/own-run/terminate";
  expect((await requestHub(bed.hub, path, { method: "POST", body: "{}" })).status).toBe(200);
  await expect
    .poll(() => bed.read(there, "own-run"), patience)
    .toMatchObject({ status: { operationState: { phase: "Terminating" } } });
  await bed.patch(there, "own-run", { operation: null, status: { operationState: { phase: "Failed" } } });
  await expect
    .poll(() => bed.mirror("own-run"), patience)
    .toMatchObject({ status: { operationState: { phase: "Failed" } } });
});
