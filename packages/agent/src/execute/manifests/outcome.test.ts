import { kubeErrors } from "@fairlead/kube";
import { expect, test } from "vitest";
import { tellRefusal } from "./outcome.fixture.ts";

const secrets = ["QXJ: 4711: ZKV"];

test("a refusal that repeats a secret value is masked before it is cut", () => {
  for (const before of [970, 980, 990, 999]) {
    const error = kubeErrors.KUBE_INVALID({ message: `${"x".repeat(before)}QXJ: 4711: ZKV ${"y".repeat(2_000)}` });
    const { message = "" } = tellRefusal(error, { secrets });
    expect(message).not.toMatch(/Q|J|Z|471/);
    expect(message.length).toBeLessThanOrEqual(1_001);
  }
});

test("a value in a cause is masked before it is taken for the reason", () => {
  const message = "Invalid value: QXJ: 4711: ZKV: must be a number";
  const details = { causes: [{ reason: "FieldValueInvalid", field: "spec.port", message }] };
  const error = kubeErrors.KUBE_INVALID({ message: "it is invalid", cause: { kind: "Status", details } });
  expect(tellRefusal(error, { secrets, where: "document 1" }).message).not.toMatch(/Q|J|Z|471/);
});
