// Applications of a managed cluster where the hub has no Argo CD: they are in its database, and people use its API and CLI.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type ArgoRepository,
  applicationOf,
  type Cable,
  type ClusterAccess,
  createAgentKubeconfig,
  joinCluster,
  leaseCluster,
  openArgoRepository,
  startArgoCluster,
  startCable,
  startHub,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

const patience = { timeout: 60_000, interval: 250 };
const undo = new AsyncDisposableStack();
let east: ClusterAccess;
let repository: ArgoRepository;
/** Before the repository. */
let git: Cable;
let url: string;
let hub: TestHub;

beforeAll(async () => {
  east = undo.use(await leaseCluster({ name: "east" }));
  repository = undo.use(await openArgoRepository());
  await repository.commit({ files: { "web/web.yaml": configMap("one"), "shop/shop.yaml": shop(1) } });
  const { hostname: host, port, pathname } = new URL(repository.url);
  git = undo.use(await startCable({ to: { host, port: Number(port) } }));
  url = `http://127.0.0.1:${git.port}${pathname}`;
  undo.use(await startArgoCluster(east));
  hub = undo.use(await startHub());
  undo.use(await joinCluster({ hub, name: "east", roles: ["proxy", "gitops"], kubeconfig: east.adminKubeconfig }));
  await hub.cli(["cluster", "set", "east", "--gitops-mode", "managed"]);
}, 600_000);
afterAll(() => undo.disposeAsync());

test("an application made by the hub's API is synced in the cluster, shown by the CLI, synced again when asked, and pruned; a project comes and goes", async () => {
  const { spec } = applicationOf({ name: "web", repository: { url }, path: "web", isAutomated: true });
  const path = "/api/v1/clusters/east/applications/east/web";
  const finalizers = ["resources-finalizer.argocd.argoproj.io"];
  const headers = { "content-type": "application/json" };
  const made = await requestHub(hub, path, { method: "PUT", headers, body: JSON.stringify({ spec, finalizers }) });
  expect(made.status).toBe(200);
  await expect.poll(() => readShown("web"), patience).toMatchObject({ sync: "Synced", health: "Healthy" });
  expect((await hub.cli(["argo", "app", "list"])).stdout).toMatch(/web.*Synced.*Healthy/);
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

test("a person makes, syncs, changes, compares and rolls an application back, and reads the logs of its pods", async () => {
  const app = async (...args: readonly string[]) => (await hub.cli(["argo", "app", ...args])).stdout;
  const source = ["--repo", url, "--path", "shop", "--revision", "main"];
  await app("create", "east/shop", ...source, "--dest-namespace", "shop", "--sync-option", "CreateNamespace=true");
  await expect.poll(() => readShown("shop"), patience).toMatchObject({ sync: "OutOfSync" });
  expect(await app("list")).toMatch(/east\/shop.*OutOfSync/);
  await app("sync", "east/shop");
  await expect.poll(() => readShown("shop"), patience).toMatchObject({ health: "Healthy" });
  expect(await app("get", "east/shop")).toMatch(/Healthy/);

  const podsOf = async (): Promise<string[]> => {
    const path = "/api/v1/namespaces/shop/pods";
    const { items } = await east.api.json<{ items: readonly { metadata: { name: string } }[] }>({ path });
    return items.map(({ metadata }) => metadata.name);
  };
  await expect.poll(podsOf, patience).toHaveLength(1);
  const [pod = ""] = await podsOf();
  for (const text of ["first", "last"])
    await east.writeLog({ namespace: "shop", pod, container: "shop", text: `${text} words\n` });
  const refused = await hub.cli(["argo", "app", "logs", "east/shop"], { allowFailure: true });
  expect(refused.stderr).toContain("API_CLUSTER_REFUSED");
  // The groups of the hub's roles get rights in the cluster.
  await createAgentKubeconfig(east);
  expect(await app("logs", "east/shop")).toBe(`[${pod}/shop] first words\n[${pod}/shop] last words\n`);
  expect(await app("logs", "east/shop", "--tail", "1", "--kind", "Deployment", "--name", "shop")).toBe(
    `[${pod}/shop] last words\n`,
  );
  const other = await hub.cli(["argo", "app", "logs", "east/shop", "--kind", "StatefulSet"]);
  expect([other.stdout, other.stderr]).toEqual(["", expect.stringContaining("no pods")]);

  await repository.commit({ files: { "web/web.yaml": configMap("one"), "shop/shop.yaml": shop(2) } });
  await app("refresh", "east/shop", "--hard");
  await expect.poll(() => readShown("shop"), patience).toMatchObject({ sync: "OutOfSync" });
  await expect
    .poll(() => app("diff", "east/shop"), { ...patience, interval: 1_000 })
    .toMatch(/Deployment +shop +shop +OutOfSync/);
  await app("sync", "east/shop");
  await expect.poll(podsOf, patience).toHaveLength(2);
  await expect.poll(async () => (await readShown("shop")).status?.history, patience).toHaveLength(2);
  const [, , oldest = ""] = (await app("history", "east/shop")).trim().split("\n");
  await app("rollback", "east/shop", oldest.split(" ")[0] ?? "");
  await expect.poll(podsOf, patience).toHaveLength(1);
  await app("set", "east/shop", "--path", "web");
  await expect.poll(() => readShown("shop"), patience).toMatchObject({ sync: "OutOfSync" });
  expect(JSON.parse(await app("get", "east/shop", "--json"))).toMatchObject({ sync: "OutOfSync" });
  await app("delete", "east/shop", "--yes");
});

test("while git is away the hub shows what the cluster's Argo CD says, keeps what runs, and goes on when git is back", async () => {
  const source = ["--repo", url, "--path", "web", "--revision", "main"];
  const app = (...args: readonly string[]) => hub.cli(["argo", "app", ...args]);
  await app("create", "east/lost", ...source, "--dest-namespace", "lost", "--sync-option", "CreateNamespace=true");
  await app("sync", "east/lost");
  await expect.poll(async () => (await readShown("lost")).sync, patience).toBe("Synced");
  git.cut();
  await app("refresh", "east/lost", "--hard");
  await expect
    .poll(async () => (await readShown("lost")).status?.conditions?.[0]?.type, patience)
    .toBe("ComparisonError");
  const shown = JSON.parse((await app("get", "east/lost", "--json")).stdout) as Shown;
  expect(shown.status?.conditions?.[0]?.type).toBe("ComparisonError");
  expect((await east.api.send({ path: "/api/v1/namespaces/lost/configmaps/web" })).status).toBe(200);
  git.heal();
  await app("refresh", "east/lost", "--hard");
  await expect.poll(async () => (await readShown("lost")).status?.conditions ?? [], patience).toEqual([]);
});

interface Seen {
  readonly status?: {
    readonly history?: readonly object[];
    readonly conditions?: readonly { readonly type: string }[];
  };
}

interface Shown extends Seen {
  readonly sync?: string;
  readonly health?: string;
}

/** What `fairlead argo app get` shows, without its start: it is asked again and again. */
async function readShown(name: string): Promise<Shown> {
  return (await requestHub(hub, `/api/v1/clusters/east/applications/east/${name}`)).json() as Shown;
}

function configMap(value: string): string {
  return JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "web" }, data: { value } });
}

function shop(replicas: number): string {
  const labels = { app: "shop" };
  const spec = { containers: [{ name: "shop", image: "demo" }] };
  return JSON.stringify({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "shop" },
    spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  });
}
