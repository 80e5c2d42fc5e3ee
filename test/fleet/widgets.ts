// A small CRD of a group of its own, so that tests which share a cluster don't meet.
import { randomBytes } from "node:crypto";
import { waitUntil } from "@fairlead/kernel/testing";
import type { ClusterAccess } from "@fairlead/testkit";

export interface Widgets extends AsyncDisposable {
  readonly group: string;
  /** `widgets.GROUP`: as the hub calls the kind, and the CRD's name. */
  readonly kind: string;
  readonly apiVersion: string;
  /** The path of the widgets in a namespace, for requests. */
  path(namespace: string): string;
  install(): Promise<void>;
  remove(): Promise<void>;
}

export async function installWidgets(cluster: ClusterAccess): Promise<Widgets> {
  const group = `fleet-${randomBytes(4).toString("hex")}.example.com`;
  const kind = `widgets.${group}`;
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const path = (namespace: string) => `/apis/${group}/v1/namespaces/${namespace}/widgets`;
  const isServed = async () => (await cluster.api.send({ path: path("default") })).status === 200;
  const widgets: Widgets = {
    group,
    kind,
    apiVersion: `${group}/v1`,
    path,
    async install() {
      await cluster.api.json({ method: "POST", path: crds, body: definition(group) });
      if (!(await waitUntil(isServed, { timeoutMs: 30_000 }))) throw new Error(`${kind} aren't served`);
    },
    async remove() {
      await cluster.api.send({ method: "DELETE", path: `${crds}/${kind}` });
      const isGone = async () => (await cluster.api.send({ path: `${crds}/${kind}` })).status === 404;
      if (!(await waitUntil(isGone, { timeoutMs: 60_000 }))) throw new Error(`the CRD of ${kind} doesn't go`);
    },
    // Not awaited: the whole cluster may be on its way out.
    [Symbol.asyncDispose]: async () =>
      void (await cluster.api.send({ method: "DELETE", path: `${crds}/${kind}` }).catch(() => undefined)),
  };
  await widgets.install();
  return widgets;
}

function definition(group: string): object {
  const schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `widgets.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural: "widgets", singular: "widget", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}
