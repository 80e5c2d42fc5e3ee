import { expect, test } from "vitest";
import { withhold } from "./withhold.ts";

test("objects are named, and none of their fields is shown, in no kind's plan", () => {
  const change = { path: "data.a", from: "canary", to: "CANARY" };
  const object = { kind: "ConfigMap", name: "a", did: "changed", changes: [change], message: "canary isn't valid" };
  const helm = {
    release: "web",
    objects: [object],
    crds: [object],
    hooks: [{ kind: "Job", name: "h", object: change }],
  };
  const tofu = { summary: { add: 1 }, resources: [{ address: "a.b", did: "add", changes: [change] }], drift: [object] };
  const flow = {
    steps: [
      { id: "one", plan: helm },
      { id: "two", plan: tofu },
      { id: "three", plan: { lack: "canary" } },
    ],
  };
  for (const json of [helm, tofu, flow, { objects: [object] }]) {
    const told = withhold({ json, digest: "d", isEmpty: false });
    expect(told).toMatchObject({ digest: "d", isEmpty: false, json: { withheld: true } });
    expect(JSON.stringify(told)).not.toMatch(/canary/i);
  }
  const named = { kind: "ConfigMap", name: "a", did: "changed" };
  expect(withhold({ json: helm, digest: "d", isEmpty: false }).json).toMatchObject({
    release: "web",
    objects: [named],
    crds: [named],
    hooks: [{ kind: "Job", name: "h" }],
  });
});
