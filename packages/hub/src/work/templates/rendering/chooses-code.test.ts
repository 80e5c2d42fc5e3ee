import type { CommandKindName } from "@fairlead/contract";
import { expect, test } from "vitest";
import { choosesCode } from "./chooses-code.ts";

const p = "${param:a}";
const chart = { repository: "https://charts.example.com", name: "web", version: "1.0.0" };
const helm = (more: object) => ({ release: "web", chart, ...more });
const git = { url: "https://git.example.com/a", ref: "main" };
const tofu = (more: object) => ({ name: "net", source: { git }, ...more });
const inline = (text: string) => tofu({ source: { files: { "main.tf": text } }, variables: { size: p } });
const objects = (...all: unknown[]) => ({ set: "web", objects: all });
const flow = (...steps: unknown[]) => ({ name: "f", steps });
const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { size: "1" } };

const vouching: readonly [string, CommandKindName, object][] = [
  ["no parameter", "tofu", tofu({})],
  ["a release's name and namespace", "helm", helm({ release: p, namespace: p })],
  ["a value of a chart", "helm", helm({ values: { replicas: p } })],
  ["all values of a chart", "helm", helm({ values: p })],
  ["how long is waited", "helm", helm({ wait: { timeoutSeconds: p } })],
  ["a variable", "tofu", tofu({ variables: { size: p } })],
  ["a variable of the environment for one", "tofu", tofu({ environment: { TF_VAR_size: p } })],
  ["a target", "tofu", tofu({ targets: [p] })],
  [
    "a variable where sources are fixed",
    "tofu",
    inline('module "a" {\n  source = "./a"\n  version = "1.0" # fixed\n}'),
  ],
  ["a field of a document", "manifests", objects({ ...map, data: { size: p } })],
  ["a document's name", "manifests", objects({ ...map, metadata: { name: `web-${p}` } })],
  ["a value of a step", "flow", flow({ id: "a", helm: helm({ values: { replicas: p } }) })],
  ["how often a step is tried", "flow", flow({ id: "a", retry: { attempts: p }, helm: helm({}) })],
  ["an object that a step waits for", "flow", flow({ id: "a", wait: { ...map, name: p, until: "ready" } })],
];

const choosing: readonly [string, CommandKindName, object][] = [
  ["a chart's repository", "helm", helm({ chart: { ...chart, repository: `https://${p}` } })],
  ["a chart's name", "helm", helm({ chart: { ...chart, name: p } })],
  ["a chart's version", "helm", helm({ chart: { ...chart, version: p } })],
  ["a chart's version within a text", "helm", helm({ chart: { ...chart, version: `1.${p}` } })],
  ["a chart in a registry", "helm", helm({ chart: { oci: `oci://registry.example.com/${p}` } })],
  ["a whole chart", "helm", helm({ chart: p })],
  ["a chart's git URL", "helm", helm({ chart: { git: { ...git, url: p } } })],
  ["a chart's git ref", "helm", helm({ chart: { git: { ...git, ref: p } } })],
  ["a chart's folder", "helm", helm({ chart: { git, path: p } })],
  ["files of values", "helm", helm({ valuesFiles: [p] })],
  ["a key of a Secret", "helm", helm({ valuesFrom: [{ secret: "shop/web", key: p }] })],
  ["an action", "helm", helm({ action: p })],
  ["a git URL", "tofu", tofu({ source: { git: { ...git, url: p } } })],
  ["a git ref", "tofu", tofu({ source: { git: { ...git, ref: p } } })],
  ["a commit", "tofu", tofu({ source: { git: { ...git, commit: p } } })],
  ["a folder of the source", "tofu", tofu({ source: { git, path: p } })],
  ["a whole source", "tofu", tofu({ source: p })],
  ["a provider mirror", "tofu", tofu({ providers: { mirror: p } })],
  ["whole settings of providers", "tofu", tofu({ providers: p })],
  ["arguments in the environment", "tofu", tofu({ environment: { TF_CLI_ARGS: p } })],
  ["a path in the environment", "tofu", tofu({ environment: { PATH: p } })],
  ["a whole environment", "tofu", tofu({ environment: p })],
  ["an action of tofu", "tofu", tofu({ action: p })],
  ["a member that nobody knows yet", "tofu", tofu({ plugins: { cache: p } })],
  ["a module's source by a variable", "tofu", inline('module "a" {\n  source = var.size\n}')],
  ["a module's source by a text of one", "tofu", inline('module "a" {\n  source = "git::https://x/${var.size}"\n}')],
  ["a module's version by a variable", "tofu", inline('module "a" { source = "./a", version = var.size }')],
  ["a module's source in JSON", "tofu", inline('{"module": {"a": {"source": "${var.size}"}}}')],
  ["a whole document", "manifests", objects(map, p)],
  ["all documents", "manifests", { set: "web", objects: p }],
  ["a document's kind", "manifests", objects({ ...map, kind: p })],
  ["a whole member of a document", "manifests", objects({ ...map, spec: p })],
  ["the text of documents", "manifests", { set: "web", manifests: p }],
  ["a flow's steps", "flow", { name: "f", steps: p }],
  ["a step", "flow", flow(p)],
  ["a step's spec", "flow", flow({ id: "a", helm: p })],
  ["a step's condition", "flow", flow({ id: "a", if: p, helm: helm({}) })],
  ["a step's chart", "flow", flow({ id: "a", helm: helm({ chart: { ...chart, version: p } }) })],
  ["a step's document", "flow", flow({ id: "a", manifests: objects(p) })],
  ["a module's source in a step", "flow", flow({ id: "a", tofu: inline('module "a" { source = var.size }') })],
  ["a kind that a step waits for", "flow", flow({ id: "a", wait: { ...map, kind: p, until: "ready" } })],
  ["a member of a step that nobody knows yet", "flow", flow({ id: "a", shell: { run: p } })],
  ["one of several", "helm", helm({ values: { replicas: p }, chart: { ...chart, version: p } })],
  ["a text that can't be read", "helm", helm({ values: { a: "${param:a" } })],
];

test.each(vouching)("%s is data", (_, kind, spec) => {
  expect(choosesCode(kind, spec as Readonly<Record<string, unknown>>)).toBe(false);
});

test.each(choosing)("%s chooses code", (_, kind, spec) => {
  expect(choosesCode(kind, spec as Readonly<Record<string, unknown>>)).toBe(true);
});
