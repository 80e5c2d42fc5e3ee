// A namespace of its own on a real API server, and the set `web` in it.
import { createKubeClient, type KubeClient, type KubeObject, loadKubeconfig } from "@fairlead/kube";
import { type ClusterAccess, createNamespace, sharedCluster } from "@fairlead/testkit";
import type { TestTaskOptions } from "../task.fixture.ts";
import { planManifests } from "./plan.ts";
import { runManifests } from "./run.ts";
import { createManifestsTask, type ManifestsTask, type Told, tellResult } from "./task.fixture.ts";
import type { ManifestsSpec } from "./types.ts";

export interface Harness extends AsyncDisposable {
  readonly cluster: ClusterAccess;
  readonly kube: KubeClient;
  readonly namespace: string;
  apply(options: Applied): Promise<Told>;
  plan(options: Applied): Promise<Told>;
  task(options: Applied): ManifestsTask;
  /** Reads `configmaps/x` in the namespace; a path that begins with a slash is taken as it is. */
  get(path: string): Promise<KubeObject>;
  send(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: object): Promise<unknown>;
  /** The names of the ConfigMaps that there are. */
  names(): Promise<string[]>;
}

export interface Applied extends Partial<Omit<TestTaskOptions<ManifestsSpec>, "spec">> {
  readonly manifests: readonly object[] | string;
  readonly [member: string]: unknown;
}

export async function openHarness(): Promise<Harness> {
  const cluster = await sharedCluster();
  const kube = createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) });
  const { name: namespace, ...made } = await createNamespace(cluster, "manifests");
  const resolve = (path: string): string => (path.startsWith("/") ? path : `/api/v1/namespaces/${namespace}/${path}`);
  const harness: Harness = {
    cluster,
    kube,
    namespace,
    apply: async (options) => tellResult(await runManifests(harness.task(options))),
    plan: async (options) => tellResult(await planManifests(harness.task(options))),
    task({ manifests, record, secrets, beforeEffect, approvedDigest, kube: given = kube, ...spec }) {
      const text =
        typeof manifests === "string" ? manifests : manifests.map((each) => JSON.stringify(each)).join("\n---\n");
      const whole = { set: "web", namespace, manifests: text, ...spec };
      return createManifestsTask({ kube: given, spec: whole, record, secrets, beforeEffect, approvedDigest });
    },
    get: (path) => kube.request<KubeObject>({ path: resolve(path) }),
    send: (method, path, body) =>
      kube.request({
        method,
        path: resolve(path),
        body,
        ...(method === "PATCH" && { headers: { "content-type": "application/merge-patch+json" } }),
      }),
    async names() {
      const { items } = await kube.request<{ items: { metadata: { name: string } }[] }>({
        path: resolve("configmaps"),
      });
      return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
    },
    async [Symbol.asyncDispose]() {
      await made[Symbol.asyncDispose]();
      await kube[Symbol.asyncDispose]();
    },
  };
  return harness;
}

export function configMap(name: string, data: object = {}, metadata: object = {}) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...metadata }, data };
}

export function deployment(name: string, spec: object = {}) {
  const labels = { app: name };
  const container = { name: "app", image: "example.com/app:1", ports: [{ containerPort: 80 }] };
  const template = { metadata: { labels }, spec: { containers: [container] } };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: { replicas: 1, selector: { matchLabels: labels }, template, ...spec },
  };
}

/** A kind of its own for one test. */
export function definition(group: string) {
  const openAPIV3Schema = {
    type: "object",
    properties: { spec: { type: "object", properties: { size: { type: "integer" } } } },
  };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `gears.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "gears", singular: "gear", kind: "Gear" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
}
