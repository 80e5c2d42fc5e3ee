import { expect, test } from "vitest";
import { parseManifestsSpec } from "./spec.ts";

const configMap = (name: string, more = "") => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\n`;

function parse(manifests: string, more: object = {}) {
  return parseManifestsSpec({ set: "web", manifests, ...more });
}

test("a spec has its defaults, and its objects in their order", () => {
  const spec = parse(`${configMap("a")}---\n${configMap("b")}`);
  expect(spec).toMatchObject({
    set: "web",
    namespace: "default",
    prune: false,
    force: false,
    createNamespace: false,
    waitTimeoutSeconds: 300,
  });
  expect(spec.manifests.map(({ object, where }) => [object.metadata.name, where])).toEqual([
    ["a", "document 1"],
    ["b", "document 2"],
  ]);
  expect(parse(configMap("a"), { wait: false }).waitTimeoutSeconds).toBeUndefined();
});

test("lists are unrolled, also those of one kind whose items say no kind", () => {
  const list = { apiVersion: "v1", kind: "List", items: [{ apiVersion: "v1", kind: "Pod", metadata: { name: "p" } }] };
  const typed = { apiVersion: "v1", kind: "ConfigMapList", items: [{ metadata: { name: "c" } }] };
  const { manifests } = parse(`${JSON.stringify(list)}\n---\n${JSON.stringify(typed)}`);
  expect(manifests.map(({ object, where }) => [object.kind, object.metadata.name, where])).toEqual([
    ["Pod", "p", "document 1, item 1"],
    ["ConfigMap", "c", "document 2, item 1"],
  ]);
});

test("what API servers write and refuse to read again is left out", () => {
  const [manifest] = parse(configMap("a", ", creationTimestamp: null, managedFields: [{}], labels: null")).manifests;
  expect(manifest?.object.metadata).toEqual({ name: "a" });
});

test("scenario 18: a document that can't be read in the middle of 200 refuses all of them, by its number and line", () => {
  const documents = Array.from({ length: 200 }, (_, index) => configMap(`c${index}`));
  documents[100] = `${documents[100]}data: {a: 1\n`;
  expect(() => parse(documents.join("---\n"))).toThrow("document 101, line 40");
});

test.each([
  ["no object", "", "allowEmpty"],
  ["a text", "hello", "document 1: it isn't an object"],
  ["an object without a kind", "apiVersion: v1\nmetadata: {name: x}", "document 1: kind is missing"],
  ["an object without a version", "kind: Pod\nmetadata: {name: x}", "document 1: apiVersion is missing"],
  ["an object without metadata", "apiVersion: v1\nkind: Pod", "document 1: metadata is missing"],
  ["a name that is no text", configMap("0644"), "metadata.name is missing, empty or isn't text"],
  ["a made-up name", "apiVersion: v1\nkind: Pod\nmetadata: {generateName: x-}", "generateName"],
  ["a name that leads elsewhere", configMap("../secrets/x"), "metadata.name contains / or %, or consists of dots"],
  ["a namespace that leads elsewhere", configMap("x", ", namespace: a/b"), "metadata.namespace"],
  ["an annotation that is no text", configMap("x", ", annotations: {a: yes}"), "(a); use quotes"],
  ["labels that are a list", configMap("x", ", labels: [a]"), "metadata.labels"],
  ["a wave that is none", configMap("x", ', annotations: {fairlead.dev/wave: "first"}'), "fairlead.dev/wave"],
  ["the set's own inventory", configMap("fairlead-set-web"), "the set's own record uses this name"],
  ["a list in a list in a list …", nested(5), "too deeply"],
])("%s is refused", (_what, manifests, message) => {
  expect(() => parse(manifests)).toThrow(message);
});

test.each([
  [{ set: "Web_1" }, "set: it is no DNS label"],
  [{ namespace: "a/b" }, "namespace: it is no DNS label"],
  [{ wait: { timeoutSeconds: 0 } }, "wait"],
  [{ prune: "yes" }, "prune"],
  [{ unknown: 1 }, "unknown"],
])("the member of %j is refused by its name", (more, message) => {
  expect(() => parse(configMap("a"), more)).toThrow(message);
});

test("an empty set is taken when it is meant, and one that is too large isn't", () => {
  expect(parse("# nothing\n", { allowEmpty: true }).manifests).toEqual([]);
  expect(() => parse(`# ${"x".repeat(3 * 1024 * 1024)}`)).toThrow("are over");
  expect(() => parse(Array.from({ length: 5_001 }, () => configMap("a")).join("---\n"))).toThrow("5000 objects");
});

function nested(depth: number): string {
  const list = (level: number): object =>
    level === 0
      ? { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" } }
      : { apiVersion: "v1", kind: "List", items: [list(level - 1)] };
  return JSON.stringify(list(depth));
}
