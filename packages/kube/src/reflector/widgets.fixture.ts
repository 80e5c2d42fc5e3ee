// A small custom resource that comes and goes.
import { waitUntil } from "@fairlead/kernel/testing";
import type { ClusterAccess } from "@fairlead/testkit";
import type { ApiResource } from "../objects/api-resource.ts";

const group = "test.fairlead.dev";

export const widgets: ApiResource = {
  group,
  version: "v1",
  resource: "widgets",
  kind: "Widget",
  singular: "widget",
  namespaced: true,
  verbs: ["get", "list", "watch"],
  shortNames: ["wd"],
  categories: [],
};

const crdPath = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** Resolves when its objects can be listed. */
export async function installWidgets(cluster: ClusterAccess): Promise<void> {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await cluster.api.json({
    method: "POST",
    path: crdPath,
    body: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: `widgets.${group}` },
      spec: {
        group,
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", shortNames: ["wd"] },
        versions: [
          { name: "v1", served: true, storage: true, schema },
          { name: "v1beta1", served: true, storage: false, schema },
        ],
      },
    },
  });
  const isServed = async () => (await cluster.api.send({ path: `/apis/${group}/v1/widgets` })).status === 200;
  if (!(await waitUntil(isServed, { timeoutMs: 60_000 }))) throw new Error("the widgets never came");
}

export async function removeWidgets(cluster: ClusterAccess): Promise<void> {
  await cluster.api.send({ method: "DELETE", path: `${crdPath}/widgets.${group}` });
  const isGone = async () => (await cluster.api.send({ path: `/apis/${group}/v1/widgets` })).status === 404;
  if (!(await waitUntil(isGone, { timeoutMs: 60_000 }))) throw new Error("the widgets never went");
}

export async function createWidget(cluster: ClusterAccess, name: string, spec: object = {}): Promise<void> {
  const path = `/apis/${group}/v1/namespaces/default/widgets`;
  const body = { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name }, spec };
  // Served doesn't mean yet that everything can be created.
  const isCreated = async () => (await cluster.api.send({ method: "POST", path, body })).status === 201;
  if (!(await waitUntil(isCreated, { timeoutMs: 60_000 }))) throw new Error(`the widget ${name} never came`);
}
