import type { KubeObject } from "@fairlead/kube";
import { expect, test } from "vitest";
import { KnownSecrets, redactJson } from "../../redact/index.ts";
import { listChanges } from "./list-changes.ts";

function object(kind: string, fields: object, metadata: object = {}): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "x", uid: "1", resourceVersion: "1", ...metadata }, ...fields };
}

const known = new KnownSecrets();
known.add("canary-4711-canary");
const secrets = { redact: (json: unknown) => redactJson(known, json) };

test("what differs is said by its path; what the server writes isn't", () => {
  const before = object("Pod", { spec: { a: [1, { b: 2 }], gone: true }, status: { x: 1 } }, { generation: 1 });
  const after = object(
    "Pod",
    { spec: { a: [1, { b: 3 }, 4], "a.b/c": "new" }, status: { x: 2 } },
    { generation: 2, resourceVersion: "2", managedFields: [1] },
  );
  expect(listChanges(before, after, secrets)).toEqual([
    { path: "spec.a[1].b", from: 2, to: 3 },
    { path: "spec.a[2]", to: 4 },
    { path: "spec.gone", from: true },
    { path: 'spec["a.b/c"]', to: "new" },
  ]);
});

test("values of Secrets are masked wherever they are", () => {
  const before = object("Secret", { data: { a: "b2xk" }, type: "Opaque" }, { annotations: { last: "b2xk" } });
  const after = object("Secret", { data: { a: "bmV3", b: "bmV3" }, type: "x" }, { annotations: { last: "bmV3" } });
  const changes = listChanges(before, after, secrets);
  expect(changes).toEqual([
    { path: "data.a", from: "(masked)", to: "(masked)" },
    { path: "data.b", to: "(masked)" },
    { path: "type", from: "Opaque", to: "x" },
    { path: "metadata.annotations.last", from: "(masked)", to: "(masked)" },
  ]);
  expect(JSON.stringify(listChanges(object("Secret", {}), after, secrets))).not.toContain("bmV3");
});

test("many changes and long values are cut", () => {
  const data = Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`k${index}`, "v".repeat(1000)]));
  const changes = listChanges(object("ConfigMap", { data: {} }), object("ConfigMap", { data }), secrets);
  expect(changes).toHaveLength(51);
  expect(changes.at(-1)).toEqual({ path: "", to: "and 30 more" });
  expect(JSON.stringify(changes).length).toBeLessThan(51 * 400);
});

test("a value that a long text is cut in is masked before", () => {
  const data = { a: `${"v".repeat(290)}canary-4711-canary` };
  const [change] = listChanges(object("ConfigMap", { data: {} }), object("ConfigMap", { data }), secrets);
  expect(change).toEqual({ path: "data.a", to: `"${"v".repeat(290)}***"` });
  const [nested] = listChanges(
    object("Pod", {}),
    object("Pod", { spec: { list: [data, "more".repeat(100)] } }),
    secrets,
  );
  expect(JSON.stringify(nested)).not.toContain("canary");
});
