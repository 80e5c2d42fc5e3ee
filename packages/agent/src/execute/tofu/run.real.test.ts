// Real OpenTofu, with its state on a real API server.
import { afterEach, beforeEach, expect, test } from "vitest";
import { openTofuHarness, type TofuHarness } from "./harness.fixture.ts";
import { planTofu } from "./plan.ts";
import { runTofu } from "./run.ts";

let harness: TofuHarness;
beforeEach(async () => {
  harness = await openTofuHarness();
});
afterEach(async () => {
  await harness?.[Symbol.asyncDispose]();
});

const main = `
variable "size" { type = number }
variable "password" {
  type      = string
  sensitive = true
}
resource "terraform_data" "web" {
  input = { size = var.size, password = var.password }
}
output "size" { value = terraform_data.web.input.size }
output "password" {
  value     = var.password
  sensitive = true
}
`;

test("a configuration is planned and applied, its outputs go into a Secret, and the second time nothing changes", async () => {
  await harness.send("POST", "secrets", { metadata: { name: "db" }, stringData: { password: "s3cr3t-canary" } });
  const reference = `\${secret:${harness.namespace}/db/password}`;
  const spec = { variables: { size: 3, password: reference }, outputs: { secret: "web-out" } };
  const task = harness.task({ main, spec });
  const result = await runTofu(task).catch((error: unknown) => {
    throw new Error(task.lines.join("\n"), { cause: error });
  });
  expect(result.failure).toBeUndefined();
  expect(result.json).toMatchObject({
    action: "apply",
    workspace: "default",
    summary: { add: 1, change: 0, replace: 0, destroy: 0 },
    resources: [{ address: "terraform_data.web", did: "add" }],
    applied: { added: 1, changed: 0, destroyed: 0 },
    outputs: [
      { name: "password", type: "string", sensitive: true },
      { name: "size", type: "number", sensitive: false },
    ],
    outputsSecret: `${harness.namespace}/web-out`,
  });
  expect(await harness.read("web-out")).toEqual({ password: "s3cr3t-canary", size: "3", size__type: "number" });
  expect(await harness.holder()).toBeUndefined();
  expect(JSON.stringify([result, task.lines])).not.toContain("canary");

  const again = await runTofu(harness.task({ main, spec }));
  expect(again.json).toMatchObject({ resources: [], applied: { added: 0, changed: 0, destroyed: 0 } });

  const changed = await planTofu(
    harness.task({ main, spec: { ...spec, variables: { size: 4, password: reference } } }),
  );
  expect(changed).toMatchObject({ isEmpty: false, json: { summary: { change: 1 } } });
  expect(changed.json).toMatchObject({
    resources: [{ did: "change", changes: expect.arrayContaining([{ path: "input.size", from: 3, to: 4 }]) }],
  });

  const gone = await runTofu(harness.task({ main, spec: { ...spec, action: "destroy" } }));
  expect(gone.json).toMatchObject({ applied: { destroyed: 1 } });
  await expect(harness.get("secrets/web-out")).rejects.toMatchObject({ code: "KUBE_NOT_FOUND" });
});
