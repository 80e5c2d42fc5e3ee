// Applications of a managed cluster where the hub has no Argo CD: they are in its database, and people use its API and CLI.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  applicationOf,
  joinCluster,
  openArgoRepository,
  startArgoCluster,
  startCluster,
  startHub,
} from "@fairlead/testkit";
import { expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

const patience = { timeout: 60_000, interval: 250 };

test("an application made by the hub's API is synced in the cluster, shown by the CLI, synced again when asked, and pruned; a project comes and goes", async () => {
  await using undo = new AsyncDisposableStack();
  const east = undo.use(await startCluster({ name: "east" }));
  const repository = undo.use(await openArgoRepository());
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { value: "one" } };
  await repository.commit({ files: { "web/web.yaml": JSON.stringify(map) } });
  undo.use(await startArgoCluster(east));
  const hub = undo.use(await startHub());
  undo.use(await joinCluster({ hub, name: "east", roles: ["proxy", "gitops"], kubeconfig: east.adminKubeconfig }));
  await hub.cli(["cluster", "set", "east", "--gitops-mode", "managed"]);

  const { spec } = applicationOf({ name: "web", repository, path: "web", isAutomated: true });
  const path = "/api/v1/clusters/east/applications/east/web";
  const finalizers = ["resources-finalizer.argocd.argoproj.io"];
  const headers = { "content-type": "application/json" };
  const made = await requestHub(hub, path, { method: "PUT", headers, body: JSON.stringify({ spec, finalizers }) });
  expect(made.status).toBe(200);
  const list = async () => (await hub.cli(["argo", "app", "list"])).stdout;
  await expect.poll(list, patience).toMatch(/web.*Synced.*Healthy/);
  const there = { path: "/api/v1/namespaces/web/configmaps/web" };
  expect(await east.api.json(there)).toMatchObject({ data: { value: "one" } });

  await hub.cli(["argo", "app", "sync", "east/web"]);
  const read = () => east.api.json<Seen>({ path: "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/web" });
  await expect.poll(async () => (await read()).status?.history?.length, patience).toBe(2);

  const file = join(hub.dataDir, "..", "shop.yaml");
  const project = {
    sourceRepos: ["*"],
    sourceNamespaces: ["east"],
    destinations: [{ name: "east", namespace: "shop" }],
  };
  await writeFile(file, JSON.stringify({ kind: "AppProject", metadata: { name: "shop" }, spec: project }));
  await hub.cli(["argo", "object", "apply", "-f", file]);
  const readProject = async () =>
    JSON.parse((await east.api.send({ path: "/apis/argoproj.io/v1alpha1/namespaces/argocd/appprojects/shop" })).text);
  await expect.poll(readProject, patience).toMatchObject({ spec: { destinations: [{ name: "in-cluster" }] } });
  await hub.cli(["argo", "object", "delete", "projects", "shop", "--yes"]);
  await expect.poll(readProject, patience).toMatchObject({ reason: "NotFound" });

  await hub.cli(["argo", "app", "delete", "east/web", "--yes"]);
  await expect.poll(async () => (await requestHub(hub, path)).status, patience).toBe(404);
  expect((await east.api.send(there)).status).toBe(404);
});

interface Seen {
  readonly status?: { readonly history?: readonly object[] };
}
