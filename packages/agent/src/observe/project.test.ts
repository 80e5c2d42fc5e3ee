import { createSecretKey } from "node:crypto";
import { parseExactJson } from "@fairlead/kernel";
import type { ApiResource, KubeObject } from "@fairlead/kube";
import { toVersion } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { type ProjectionRules, projectObject } from "./project.ts";

const salt = createSecretKey(Buffer.from("0123456789abcdef"));
const rules: ProjectionRules = { salt, envValues: "mask", maxObjectBytes: 256 * 1024 };

test("what servers and tools note about an object stays behind, and all else goes as it is", () => {
  const object = {
    metadata: {
      ...metadata("web"),
      managedFields: [{ manager: "kubectl" }],
      labels: { app: "web" },
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}", owner: "team-a" },
    },
    spec: { replicas: 3, selector: { matchLabels: { app: "web" } } },
    status: { readyReplicas: 2 },
  };
  expect(projected(deployments, object)).toEqual({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata("web"), labels: { app: "web" }, annotations: { owner: "team-a" } },
    spec: object.spec,
    status: object.status,
  });
});

test("the version is that of the bytes, and a listed object has the same as a watched one", () => {
  const listed = projectObject(deployments, clone({ metadata: metadata("web"), spec: {} }), rules);
  const watched = { apiVersion: "apps/v1", kind: "Deployment", metadata: metadata("web"), spec: {} };
  expect(listed.version).toBe(toVersion(listed.json));
  expect(projectObject(deployments, clone(watched), rules)).toEqual(listed);
  expect(listed).toMatchObject({ uid: "uid-web", namespace: "default", name: "web" });
});

test("the values of a Secret never leave: not in its data, not in an annotation that may be a copy of it", () => {
  const secret = {
    metadata: {
      ...metadata("db"),
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration": '{"stringData":{"password":"hunter2"}}',
        "some.tool/original": ' {"data":{"password":"aHVudGVyMg=="}}',
        "other.tool/state": `H4sI${"hunter2".repeat(30)}`,
        "meta.helm.sh/release-name": "db",
      },
      managedFields: [{ fieldsV1: { "f:data": { "f:password": {} } } }],
    },
    type: "Opaque",
    immutable: true,
    data: { password: "aHVudGVyMg==", empty: "" },
    stringData: { password: "hunter2" },
  };
  const shape = projected(secrets, secret);
  expect(JSON.stringify(shape)).not.toMatch(/hunter2|aHVudGVyMg/);
  expect(shape).toMatchObject({ type: "Opaque", immutable: true });
  expect(shape["data"]).toEqual({ password: expect.stringMatching(hash), empty: expect.stringMatching(hash) });
  expect(shape.metadata.annotations).toMatchObject({ "meta.helm.sh/release-name": "db" });
});

test("the values of a ConfigMap never leave, neither text nor binary", () => {
  const shape = projected(configMaps, {
    metadata: metadata("settings"),
    data: { "app.yaml": "token: hunter2" },
    binaryData: { blob: "aHVudGVyMg==" },
  });
  expect(shape["data"]).toEqual({ "app.yaml": expect.stringMatching(hash) });
  expect(shape["binaryData"]).toEqual({ blob: expect.stringMatching(hash) });
});

test("a hash tells that a value changed, and nothing that another cluster or place could compare", () => {
  const hashOf = (value: string, name = "db", salt = rules.salt): unknown =>
    (
      projected(secrets, { metadata: metadata(name), data: { password: value } }, { salt })["data"] as {
        password: string;
      }
    ).password;
  expect(hashOf("one")).toBe(hashOf("one"));
  expect(hashOf("one")).not.toBe(hashOf("two"));
  expect(hashOf("one")).not.toBe(hashOf("one", "other"));
  expect(hashOf("one")).not.toBe(hashOf("one", "db", createSecretKey(Buffer.from("another salt 123"))));
  // Kept: another algorithm would send every Secret of every cluster again.
  expect(hashOf("one")).toBe("hmac-sha256:69eb00debd51870a");
});

test("literal values of the environment are masked wherever they stand, references stay", () => {
  const env = [
    { name: "TOKEN", value: "hunter2" },
    { name: "EMPTY", value: "" },
    { name: "FROM", valueFrom: { secretKeyRef: { name: "db", key: "password" } } },
  ];
  const masked = [{ name: "TOKEN", value: expect.stringMatching(hash) }, env[1], env[2]];
  const containers = [{ name: "app", image: "app:1", env }];
  const pod = projected(pods, { metadata: metadata("p"), spec: { containers, initContainers: containers } });
  expect(pod["spec"]).toEqual({
    containers: [{ name: "app", image: "app:1", env: masked }],
    initContainers: [{ name: "app", image: "app:1", env: masked }],
  });
  const template = { spec: { containers } };
  expect(JSON.stringify(projected(deployments, { metadata: metadata("d"), spec: { template } }))).not.toMatch(
    "hunter2",
  );
  const spark = { driver: { envVars: { TOKEN: "hunter2" } }, executor: { env } };
  expect(JSON.stringify(projected(custom, { metadata: metadata("s"), spec: spark }))).not.toMatch("hunter2");
});

test("what an application gives to Helm is masked, with its copies in the status", () => {
  const source = {
    chart: "web",
    helm: {
      releaseName: "web",
      values: "token: hunter2",
      valuesObject: { token: "hunter2" },
      parameters: [{ name: "token", value: "hunter2" }],
    },
  };
  const shape = projected(custom, {
    metadata: metadata("web"),
    spec: { source, sources: [source] },
    status: { history: [{ source }], operationState: { syncResult: { source } } },
  });
  expect(JSON.stringify(shape)).not.toMatch("hunter2");
  expect(shape).toMatchObject({ spec: { source: { chart: "web", helm: { releaseName: "web" } } } });
});

test("whole numbers of more than 53 bits leave with all their digits, and masked where they may be secrets", () => {
  const json = (spec: string, more: Partial<ProjectionRules> = {}): string => {
    const object = parseExactJson(`{"metadata":${JSON.stringify(metadata("web"))},"spec":${spec}}`) as KubeObject;
    return Buffer.from(projectObject(deployments, object, { ...rules, ...more }).json).toString();
  };
  expect(json('{"n":9007199254740993,"list":[-9223372036854775808]}')).toContain(
    '"spec":{"n":9007199254740993,"list":[-9223372036854775808]}',
  );
  const hidden = json(
    '{"env":[{"name":"PIN","value":9007199254740993}],"a":{"env":{"PIN":9007199254740993}},"b":{"envVars":{"PIN":9007199254740993}},"c":{"env":9007199254740993}}',
  );
  expect(hidden.match(/hmac-sha256:[0-9a-f]{16}/g)).toHaveLength(3);
  expect(hidden.match(/9007199254740993/g)).toEqual(["9007199254740993"]);
  const cut = json(`{"n":9007199254740993,"long":"${"x".repeat(5_000)}"}`, { maxObjectBytes: 4_096 });
  expect(cut).toContain('"spec":{"n":9007199254740993}');
});

test("literal values are kept when that is asked for", () => {
  const env = [{ name: "LEVEL", value: "debug" }];
  const shape = projected(pods, { metadata: metadata("p"), spec: { containers: [{ env }] } }, { envValues: "keep" });
  expect(shape["spec"]).toEqual({ containers: [{ env }] });
});

test("a node leaves its images behind, a CRD its schemas, an EndpointSlice all but addresses", () => {
  const node = projected(nodes, { metadata: metadata("n"), status: { images: [{ names: ["a"] }], phase: "x" } });
  expect(node["status"]).toEqual({ phase: "x" });

  const columns = [{ name: "Age", type: "date", jsonPath: ".x" }];
  const version = { name: "v1", served: true, additionalPrinterColumns: columns };
  const crd = projected(crds, {
    metadata: metadata("things.example.com"),
    spec: { group: "example.com", versions: [{ ...version, schema: { openAPIV3Schema: { type: "object" } } }] },
  });
  expect(crd["spec"]).toEqual({ group: "example.com", versions: [version] });

  const slice = projected(slices, {
    metadata: metadata("web-1"),
    addressType: "IPv4",
    endpoints: [
      { addresses: ["10.0.0.1"], conditions: { ready: true, serving: true }, nodeName: "n", zone: "z" },
      { addresses: ["10.0.0.2"], conditions: { ready: false, terminating: true }, targetRef: { name: "p" } },
      { addresses: ["10.0.0.3"] },
    ],
    ports: [{ port: 80 }],
  });
  expect(slice).toMatchObject({ addressType: "IPv4", ports: [{ port: 80 }] });
  expect(slice["endpoints"]).toEqual([
    { addresses: ["10.0.0.1"] },
    { addresses: ["10.0.0.2"], conditions: { ready: false, terminating: true } },
    { addresses: ["10.0.0.3"] },
  ]);
});

function projected(resource: ApiResource, object: unknown, other: Partial<ProjectionRules> = {}): KubeObject {
  const { json } = projectObject(resource, clone(object), { ...rules, ...other });
  return JSON.parse(Buffer.from(json).toString("utf8"));
}

function clone(object: unknown): KubeObject {
  return structuredClone(object) as KubeObject;
}

function metadata(name: string): Pick<KubeObject["metadata"], "uid" | "name" | "namespace" | "resourceVersion"> {
  return { uid: `uid-${name}`, name, namespace: "default", resourceVersion: "7" };
}

function resource(kind: string, plural: string, group = "", version = "v1"): ApiResource {
  const names = { singular: kind.toLowerCase(), shortNames: [], categories: [] };
  return { group, version, resource: plural, kind, namespaced: true, verbs: ["list", "watch"], ...names };
}

const deployments = resource("Deployment", "deployments", "apps");
const pods = resource("Pod", "pods");
const nodes = resource("Node", "nodes");
const secrets = resource("Secret", "secrets");
const configMaps = resource("ConfigMap", "configmaps");
const crds = resource("CustomResourceDefinition", "customresourcedefinitions", "apiextensions.k8s.io");
const slices = resource("EndpointSlice", "endpointslices", "discovery.k8s.io");
const custom = resource("Application", "applications", "argoproj.io", "v1alpha1");
const hash = /^hmac-sha256:[0-9a-f]{16}$/;
