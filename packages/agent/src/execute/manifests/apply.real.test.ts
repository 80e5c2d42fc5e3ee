// Sets of manifests on a real API server: what is applied, in which order, and what is said of what can't be.
import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { configMap, definition, deployment, type Harness, openHarness } from "./harness.fixture.ts";

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness[Symbol.asyncDispose]());

test("scenario 17: a conflict is told by the other manager and the field, and force takes the field over", async () => {
  await harness.apply({ manifests: [deployment("web")], wait: false });
  await harness.cluster.kubectl(["scale", "deployment", "web", "--replicas=3", "-n", harness.namespace]);
  const { failure, objects } = await harness.apply({ manifests: [deployment("web"), configMap("other")], wait: false });
  expect(failure?.code).toBe("MANIFESTS_FAILED");
  expect(objects).toMatchObject([
    { did: "failed", code: "MANIFESTS_CONFLICT", message: expect.stringContaining("kubectl owns .spec.replicas") },
    { did: "created" },
  ]);
  expect((await harness.get(deployments("web")))["spec"]).toMatchObject({ replicas: 3 });

  const forced = await harness.apply({ manifests: [deployment("web"), configMap("other")], wait: false, force: true });
  expect(forced.deeds).toEqual(["Deployment web: changed", "ConfigMap other: unchanged"]);
  expect((await harness.get(deployments("web")))["spec"]).toMatchObject({ replicas: 1 });
});

test("scenario 17: a field that is left out is removed, unless somebody else set it, too", async () => {
  await harness.apply({ manifests: [configMap("a", { mine: "1", ours: "1" })] });
  await harness.cluster.kubectl(
    ["apply", "--server-side", "--field-manager=other", "-n", harness.namespace, "-f", "-"],
    {
      input: JSON.stringify(configMap("a", { ours: "1", theirs: "1" })),
    },
  );
  expect((await harness.apply({ manifests: [configMap("a")] })).deeds).toEqual(["ConfigMap a: changed"]);
  expect((await harness.get("configmaps/a"))["data"]).toEqual({ ours: "1", theirs: "1" });
});

test("scenario 17: a key that leaves stringData leaves the Secret", async () => {
  const secret = (stringData: object) => ({ apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData });
  await harness.apply({ manifests: [secret({ a: "1", b: "${secret:n/s/k}" })], secrets: { "n/s/k": "hunter2" } });
  const encode = (text: string) => Buffer.from(text).toString("base64");
  expect((await harness.get("secrets/s"))["data"]).toEqual({ a: encode("1"), b: encode("hunter2") });
  await harness.apply({ manifests: [secret({ a: "1" })] });
  expect((await harness.get("secrets/s"))["data"]).toEqual({ a: encode("1") });
});

test("scenario 17: a field that can't be changed fails its object in the API server's words, and no other", async () => {
  const frozen = (data: object) => ({ ...configMap("frozen", data), immutable: true });
  await harness.apply({ manifests: [frozen({ v: "1" })] });
  const { objects } = await harness.apply({ manifests: [frozen({ v: "2" }), configMap("b")] });
  expect(objects).toMatchObject([
    { did: "failed", code: "KUBE_INVALID", message: expect.stringContaining("immutable") },
    { did: "created" },
  ]);
});

test("scenario 18: what can't be applied anywhere in a set is named, and nothing of it is changed", async () => {
  const manifests = [
    configMap("fine"),
    { apiVersion: "example.com/v1", kind: "Unheard", metadata: { name: "x" } },
    { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "x", namespace: "y" } },
    configMap("fine", {}, { namespace: harness.namespace }),
    { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectReview", metadata: { name: "x" } },
  ];
  for (const { failure, objects } of [await harness.apply({ manifests }), await harness.plan({ manifests })]) {
    expect(failure?.code).toBe("MANIFESTS_REFUSED");
    expect(objects.map(({ did, code }) => [did, code])).toEqual([
      ["pending", undefined],
      ["failed", "MANIFESTS_KIND_UNKNOWN"],
      ["failed", "MANIFESTS_NAMESPACE_UNWANTED"],
      ["failed", "MANIFESTS_NAMED_TWICE"],
      ["failed", "MANIFESTS_KIND_UNKNOWN"],
    ]);
  }
  expect(await harness.names()).toEqual([]);
});

test("scenario 18: what the API server refuses fails its object alone: unknown fields, sizes, policies, quotas", async () => {
  const quota = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name: "q" }, spec: { hard: { secrets: "0" } } };
  const manifests = [
    configMap("fine"),
    { ...configMap("unknown"), sepc: {} },
    configMap("large", { v: "x".repeat(1_100_000) }),
    configMap("annotated", {}, { annotations: { a: "x".repeat(262_145) } }),
    { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } },
    { apiVersion: "v1", kind: "Service", metadata: { name: "bad" }, spec: { ports: [{ port: 99_999 }] } },
  ];
  await harness.apply({ set: "quota", manifests: [quota] });
  await expect
    .poll(async () => (await harness.get("resourcequotas/q"))["status"])
    .toMatchObject({ hard: { secrets: "0" } });
  const { objects, failure } = await harness.apply({ manifests });
  expect(failure?.message).toBe("5 of 6 objects couldn't be applied or deleted.");
  expect(objects).toMatchObject([
    { did: "created" },
    { did: "failed", message: expect.stringContaining("sepc") },
    { did: "failed", code: "KUBE_INVALID" },
    { did: "failed", code: "KUBE_INVALID" },
    { did: "failed", code: "KUBE_FORBIDDEN", message: expect.stringContaining("exceeded quota") },
    { did: "failed", code: "KUBE_INVALID" },
  ]);
  expect(Math.max(...objects.map(({ message = "" }) => message.length))).toBeLessThan(1_100);
});

test("scenario 18: a kind and its objects come with one set, and go with it", async () => {
  const group = `g${randomBytes(3).toString("hex")}.example.com`;
  const gear = { apiVersion: `${group}/v1`, kind: "Gear", metadata: { name: "x" }, spec: { size: 1 } };
  const manifests = [gear, definition(group)];
  expect((await harness.plan({ manifests })).deeds).toEqual([
    "Gear x: created",
    `CustomResourceDefinition gears.${group}: created`,
  ]);
  const { deeds, failure } = await harness.apply({ manifests });
  expect({ deeds, failure }).toEqual({
    deeds: ["Gear x: created", `CustomResourceDefinition gears.${group}: created`],
    failure: undefined,
  });
  expect((await harness.apply({ manifests })).deeds[0]).toBe("Gear x: unchanged");
  const gone = await harness.apply({ manifests: [], allowEmpty: true, prune: true });
  expect(gone.deeds).toEqual(["Gear x: deleted", `CustomResourceDefinition gears.${group}: deleted`]);
});

test("scenario 18: objects whose kind doesn't come about fail at once", async () => {
  const group = `g${randomBytes(3).toString("hex")}.example.com`;
  const wrong = { ...definition(group), metadata: { name: `wheels.${group}` } };
  const gears = Array.from({ length: 20 }, (_, index) => ({
    apiVersion: `${group}/v1`,
    kind: "Gear",
    metadata: { name: `x${index}` },
  }));
  const { objects } = await harness.apply({ manifests: [wrong, ...gears] });
  expect(objects.map(({ code }) => code)).toEqual(["KUBE_INVALID", ...gears.map(() => "MANIFESTS_KIND_UNKNOWN")]);
});

test("scenario 18: a namespace that isn't there is made only when that is meant", async () => {
  const name = `${harness.namespace}-new`;
  const manifests = [configMap("a")];
  await expect(harness.apply({ manifests, namespace: name })).rejects.toMatchObject({
    code: "MANIFESTS_NAMESPACE_MISSING",
  });
  const planned = await harness.plan({ manifests, namespace: name, createNamespace: true });
  expect(planned.deeds).toEqual([`Namespace ${name}: created`, "ConfigMap a: created"]);
  const made = await harness.apply({ manifests, namespace: name, createNamespace: true });
  expect(made.deeds).toEqual([`Namespace ${name}: created`, "ConfigMap a: created"]);
  const emptied = await harness.apply({ manifests: [], namespace: name, allowEmpty: true, prune: true });
  expect(emptied.deeds).toEqual(["ConfigMap a: deleted"]);
  expect((await harness.get(`/api/v1/namespaces/${name}`)).metadata.deletionTimestamp).toBeUndefined();
  await harness.send("DELETE", `/api/v1/namespaces/${name}`);
});

test("scenario 18: a set may bring its own namespace", async () => {
  const name = `${harness.namespace}-own`;
  const own = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
  const { deeds } = await harness.apply({ manifests: [configMap("a"), own], namespace: name });
  expect(deeds).toEqual(["ConfigMap a: created", `Namespace ${name}: created`]);
  const gone = await harness.apply({ manifests: [], namespace: name, allowEmpty: true, prune: true });
  expect(gone.deeds).toEqual(["ConfigMap a: deleted", `Namespace ${name}: deleted`]);
});

test("scenario 18: an object that is on its way out is waited for, and what holds it up is named", async () => {
  await harness.send("POST", "configmaps", configMap("dying", {}, { finalizers: ["example.com/hold"] }));
  await harness.send("DELETE", "configmaps/dying");
  const stuck = await harness.apply({ manifests: [configMap("dying")], wait: { timeoutSeconds: 1 } });
  expect(stuck.objects).toMatchObject([
    { did: "failed", code: "MANIFESTS_TERMINATING", message: expect.stringContaining("example.com/hold") },
  ]);
  const waiting = harness.apply({ manifests: [configMap("dying", { v: "2" })], wait: { timeoutSeconds: 60 } });
  await harness.send("PATCH", "configmaps/dying", { metadata: { finalizers: null } });
  expect((await waiting).deeds).toEqual(["ConfigMap dying: created"]);
  expect((await harness.get("configmaps/dying"))["data"]).toEqual({ v: "2" });
});

test("a wave begins when all of the one before are there and ready", async () => {
  const inWave = (wave: string) => ({ annotations: { "fairlead.dev/wave": wave } });
  const failing = { ...configMap("bad", {}, inWave("1")), sepc: 1 };
  const manifests = [configMap("last", {}, inWave("2")), failing, configMap("beside", {}, inWave("1")), configMap("a")];
  const stopped = await harness.apply({ manifests });
  expect(stopped.objects.map(({ name, did, code }) => [name, did, code])).toEqual([
    ["last", "pending", "MANIFESTS_NOT_BEGUN"],
    ["bad", "failed", expect.any(String)],
    ["beside", "created", undefined],
    ["a", "created", undefined],
  ]);
  const claim = {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "never" },
    spec: { accessModes: ["ReadWriteOnce"], storageClassName: "none", resources: { requests: { storage: "1Gi" } } },
  };
  const unready = await harness.apply({
    set: "second",
    wait: { timeoutSeconds: 1 },
    manifests: [claim, configMap("after", {}, inWave("1"))],
  });
  expect(unready.failure).toMatchObject({
    code: "MANIFESTS_NOT_READY",
    message: expect.stringContaining("PersistentVolumeClaim"),
  });
  expect(unready.objects).toMatchObject([
    {
      did: "created",
      code: "MANIFESTS_NOT_READY",
      message: expect.stringContaining("no volume of the storage class none is bound to it (Pending)"),
    },
    { did: "pending" },
  ]);
});

test("a run waits until its workloads are ready, and says of what isn't why", async () => {
  const { failure, deeds } = await harness.apply({ manifests: [deployment("web", { replicas: 2 })] });
  expect({ failure, deeds }).toEqual({ failure: undefined, deeds: ["Deployment web: created"] });
  expect((await harness.get(deployments("web")))["status"]).toMatchObject({ availableReplicas: 2 });
  const selector = { "kubernetes.io/hostname": "nowhere" };
  const pod = { metadata: { labels: { app: "web" } }, spec: { nodeSelector: selector, containers: [container] } };
  const stuck = await harness.apply({
    wait: { timeoutSeconds: 2 },
    force: true,
    manifests: [deployment("web", { replicas: 2, template: pod })],
  });
  expect(stuck.failure).toMatchObject({ code: "MANIFESTS_NOT_READY", message: expect.stringContaining("Deployment") });
  expect(stuck.objects[0]?.message).toMatch(/replicas/);
});

test("a plan says what would change and changes nothing, and no value of a Secret is in it", async () => {
  const secret = (value: string) => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s" },
    stringData: { value },
  });
  await harness.apply({ manifests: [configMap("a", { v: "1" }), configMap("gone"), secret("hunter1")] });
  const before = await harness.get("configmaps/a");
  const manifests = [configMap("a", { v: "2" }), secret("hunter2"), configMap("new")];
  const { objects } = await harness.plan({ manifests, prune: true });
  expect(objects.map(({ name, did }) => [name, did])).toEqual([
    ["a", "changed"],
    ["s", "changed"],
    ["new", "created"],
    ["gone", "deleted"],
  ]);
  expect(objects[0]?.changes).toEqual([{ path: "data.v", from: "1", to: "2" }]);
  expect(objects[1]?.changes).toEqual([{ path: "data.value", from: "(masked)", to: "(masked)" }]);
  const told = JSON.stringify(objects);
  for (const value of ["hunter1", "hunter2"]) {
    expect(told).not.toContain(value);
    expect(told).not.toContain(Buffer.from(value).toString("base64"));
  }
  expect(await harness.get("configmaps/a")).toEqual(before);
  expect(await harness.names()).toEqual(["a", "fairlead-set-web", "gone"]);
});

test("a secret value that a long text is cut in isn't told in part, in a plan or by an API server's refusal", async () => {
  await harness.send("POST", "secrets", { metadata: { name: "s" }, stringData: { key: "QXJ-4711-ZKV-QXJ" } });
  const reference = `\${secret:${harness.namespace}/s/key}`;
  const split = (before: number): string => `${"v".repeat(before)}${reference}${"w".repeat(2_000)}`;
  await harness.apply({ manifests: [configMap("a", { other: "1" })] });
  const planned = await harness.plan({ manifests: [configMap("a", { value: split(290) })] });
  expect(planned.objects[0]?.changes).toMatchObject([
    { path: "data.other" },
    { path: "data.value", to: expect.stringContaining("vvv***") },
  ]);
  const manifests = [290, 600, 970, 980, 990].map((before) =>
    configMap(`b-${before}`, {}, { labels: { x: split(before) } }),
  );
  const refused = await harness.apply({ manifests });
  expect(refused.deeds).toEqual([
    ...manifests.map(({ metadata: { name } }) => `ConfigMap ${name}: failed`),
    "ConfigMap a: kept",
  ]);
  expect(JSON.stringify([planned.objects, refused.objects])).not.toMatch(/QX|4711|ZKV/);
});

const container = { name: "app", image: "example.com/app:2" };

function deployments(name: string): string {
  return `/apis/apps/v1/namespaces/${harness.namespace}/deployments/${name}`;
}
