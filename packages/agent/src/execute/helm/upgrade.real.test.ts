// Releases of charts on a real API server, by the real helm.
import { afterAll, beforeAll, expect, test } from "vitest";
import { chart, configMap, type Harness, openHarness } from "./harness.fixture.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.[Symbol.asyncDispose]());

test("an inline chart is installed, upgraded, rolled back and uninstalled", async () => {
  const text = { a: "{{ .Values.a }}", b: "{{ .Values.b }}" };
  const source = chart(
    { "cm.yaml": configMap("web", text), "NOTES.txt": "hello {{ .Values.a }}" },
    { "values.yaml": "b: of the chart" },
  );
  const first = await harness.run({ chart: source, values: { a: "one" }, notes: true });
  expect(first.failure).toBeUndefined();
  expect(first.json).toMatchObject({
    release: "web",
    revision: 1,
    status: "deployed",
    notes: "hello one",
    chart: { name: "web", version: "1.2.3", appVersion: "7", digest: expect.stringMatching(/^sha256:/) },
    objects: [{ kind: "ConfigMap", name: "web", did: "created" }],
  });
  const second = await harness.run({ chart: source, values: { b: null } });
  expect(second.json).toMatchObject({ revision: 2, status: "deployed", objects: [{ did: "changed" }] });
  expect((await harness.get("configmaps/web"))["data"]).toEqual({ a: "", b: "" });

  const back = await harness.run({ action: "rollback" });
  expect(back.json).toMatchObject({ revision: 3, status: "deployed" });
  expect((await harness.get("configmaps/web"))["data"]).toEqual({ a: "one", b: "of the chart" });

  expect((await harness.run({ action: "uninstall" })).json).toEqual({
    release: "web",
    namespace: harness.namespace,
    status: "absent",
  });
  expect(await harness.exists("configmaps/web")).toBe(false);
  expect((await harness.run({ action: "uninstall" })).failure).toBeUndefined();
});
