// A recorded installation of argocd-agent goes over to Fairlead, and back. One API server has all: Argo CD of the hub in a
// namespace, that of a managed and of an autonomous cluster in two others, and argocd-agent's Deployments beside them.
import {
  type ClusterAccess,
  createAgentKubeconfig,
  createNamespace,
  joinCluster,
  prepareArgoCrds,
  reservePorts,
  sharedCluster,
  startHub,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeInstallation, type Names } from "./argocd-agent-installation.fixture.ts";

const patience = { timeout: 60_000, interval: 100 };
const undo = new AsyncDisposableStack();
let cluster: ClusterAccess;
let hub: TestHub;
let names: Names;

beforeAll(async () => {
  cluster = await sharedCluster();
  await prepareArgoCrds(cluster);
  const make = async (prefix: string) => undo.use(await createNamespace(cluster, prefix)).name;
  names = {
    argo: await make("hub-argo"),
    managed: await make("east"),
    autonomous: await make("west"),
    managedArgo: await make("east-argo"),
    autonomousArgo: await make("west-argo"),
  };
  await makeInstallation(cluster, names);
  // Groups of the hub's roles get their rights with it.
  await createAgentKubeconfig(cluster, await make("agent"));
  const { ports } = undo.use(await reservePorts(1));
  const listen = ["--listen", `127.0.0.1:${ports[0]}`, "--public-url", `https://127.0.0.1:${ports[0]}`];
  const args = ["--argo-kubeconfig", cluster.adminKubeconfig, "--argo-namespace", names.argo, "--argo-cluster-secrets"];
  hub = undo.use(await startHub({ args: [...args, ...listen] }));
  await join(names.managed, names.managedArgo);
  await join(names.autonomous, names.autonomousArgo);
}, 300_000);
afterAll(() => undo.disposeAsync());

test("without --apply nothing is changed, and what would be is said", async () => {
  const before = await seeAll();
  const { stdout } = await importAgent(names.managed, []);
  expect(stdout).toMatch(new RegExp(`${names.managed} +managed +1 +yes`));
  expect(stdout).toContain(`fairlead gitops import-argocd-agent --apply --cluster ${names.managed}`);
  expect(stdout).toContain(`${names.argo}/argocd-agent-ca`);
  expect(await seeAll()).toEqual(before);
  expect(await modeOf(names.managed)).toBe("off");
});

test("a managed cluster waits until argocd-agent's agent has stopped, and then gets what changes on the hub", async () => {
  const before = await seeAll();
  const pod = await holdPod(names.managedArgo);
  const moving = importAgent(names.managed, ["--apply", "--yes"]);
  await expect.poll(() => replicasOf(names.managedArgo), patience).toBe(0);
  await expect.poll(async () => (await get(pod))?.metadata.deletionTimestamp, patience).toBeDefined();
  expect(await modeOf(names.managed)).toBe("off");
  expect(await labelsOf(names.managed)).toHaveProperty([secretType], "cluster");
  await patch(pod, { metadata: { finalizers: null } });
  await moving;
  expect(await modeOf(names.managed)).toBe("managed");
  expect(await labelsOf(names.managed)).not.toHaveProperty([secretType]);
  await expect
    .poll(() => annotationsOf(names.managedArgo, "shop"), patience)
    .toHaveProperty(["fairlead.dev/source-uid"]);
  expect(await seeAll()).toEqual(before);

  await patch(application(names.managed, "shop"), { spec: { source: { path: "next" } } });
  await expect.poll(() => pathOf(names.managedArgo, "shop"), patience).toBe("next");
});

test("the hub goes on with the principal's copies of an autonomous cluster as its mirrors", async () => {
  const before = await seeAll();
  await importAgent(names.autonomous, ["--apply", "--yes"]);
  await patch(application(names.autonomousArgo, "web"), { spec: { source: { path: "next" } } });
  await expect.poll(() => pathOf(names.autonomous, "web"), patience).toBe("next");
  expect((await seeAll()).map(({ uid }) => uid)).toEqual(before.map(({ uid }) => uid));
  expect(await annotationsOf(names.autonomous, "web")).not.toHaveProperty(["argocd.argoproj.io/source-uid"]);
  // Its name tells it from projects of other clusters, which the principal's doesn't.
  await expect.poll(() => get(project(names.argo, `${names.autonomous}-default`)), patience).toBeUndefined();
  await expect.poll(() => get(project(names.argo, `${names.autonomous}.default`)), patience).toBeDefined();
  await patch(application(names.autonomous, "web"), { spec: { source: { path: "mine" } } });
  await expect.poll(() => pathOf(names.autonomous, "web"), patience).toBe("next");
});

test("the way back leaves all that there is, gives the Secrets back and starts the agents last", async () => {
  const before = await seeAll();
  for (const name of [names.managed, names.autonomous]) {
    await importAgent(name, ["--back", "--yes"]);
    expect(await modeOf(name)).toBe("off");
    expect(await labelsOf(name)).toHaveProperty([secretType], "cluster");
  }
  expect(await replicasOf(names.managedArgo)).toBe(1);
  expect(await replicasOf(names.autonomousArgo)).toBe(1);
  expect(await seeAll()).toEqual(before);
  const copy = await annotationsOf(names.autonomous, "web");
  expect(copy["argocd.argoproj.io/source-uid"]).toBe(
    (await get(application(names.autonomousArgo, "web")))?.metadata.uid,
  );
  expect(Object.keys(copy).filter((name) => name.startsWith("fairlead.dev/"))).toEqual([]);
  const again = await importAgent(names.managed, ["--back", "--yes"], { allowFailure: true });
  expect(again.stderr).toContain("CLI_USAGE");
});

interface Seen {
  readonly metadata: {
    readonly uid: string;
    readonly generation: number;
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly source?: { readonly path: string }; readonly replicas?: number };
}

async function join(name: string, argo: string): Promise<void> {
  const agentArgs = ["--argo-namespace", argo];
  const kubeconfig = cluster.adminKubeconfig;
  undo.use(await joinCluster({ hub, name, roles: ["proxy", "gitops"], kubeconfig, agentArgs }));
}

function importAgent(name: string, args: readonly string[], options: { allowFailure?: boolean } = {}) {
  const where = ["--kubeconfig", cluster.adminKubeconfig, "--namespace", names.argo];
  const agent = name === names.managed ? names.managedArgo : names.autonomousArgo;
  const which = ["--cluster", name, "--agent-namespace", agent];
  return hub.cli(["gitops", "import-argocd-agent", ...where, ...which, ...args], options);
}

async function modeOf(name: string): Promise<string> {
  const { stdout } = await hub.cli(["gitops", "status", name, "--json"]);
  return (JSON.parse(stdout) as { mode: string }).mode;
}

/** A spec or status of an application that is written makes a generation; so does a sync. */
async function seeAll(): Promise<{ readonly uid: string; readonly generation?: number }[]> {
  const applications = await Promise.all(
    [
      application(names.managed, "shop"),
      application(names.managedArgo, "shop"),
      application(names.autonomous, "web"),
      application(names.autonomousArgo, "web"),
    ].map(get),
  );
  const projects = await Promise.all(
    [project(names.managedArgo, "default"), project(names.autonomousArgo, "default")].map(get),
  );
  return [
    ...applications.map((one) => ({ uid: one?.metadata.uid ?? "", generation: one?.metadata.generation ?? 0 })),
    ...projects.map((one) => ({ uid: one?.metadata.uid ?? "" })),
  ];
}

/** Keeps a pod of the agent's Deployment from going; resolves to its path. */
async function holdPod(namespace: string): Promise<string> {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const list = async () => (await cluster.api.json<{ items: readonly Seen[] }>({ path: pods })).items;
  await expect.poll(list, patience).toHaveLength(1);
  const path = `${pods}/${(await list())[0]?.metadata.name}`;
  await patch(path, { metadata: { finalizers: ["example.com/held"] } });
  return path;
}

async function replicasOf(namespace: string): Promise<number | undefined> {
  return (await get(`/apis/apps/v1/namespaces/${namespace}/deployments/argocd-agent-agent`))?.spec.replicas;
}

async function labelsOf(name: string): Promise<object> {
  return (await get(`/api/v1/namespaces/${names.argo}/secrets/cluster-${name}`))?.metadata.labels ?? {};
}

async function annotationsOf(namespace: string, name: string): Promise<Readonly<Record<string, string>>> {
  return (await get(application(namespace, name)))?.metadata.annotations ?? {};
}

async function pathOf(namespace: string, name: string): Promise<string | undefined> {
  return (await get(application(namespace, name)))?.spec.source?.path;
}

async function get(path: string): Promise<Seen | undefined> {
  const { status, text } = await cluster.api.send({ path });
  return status === 200 ? (JSON.parse(text) as Seen) : undefined;
}

async function patch(path: string, body: object): Promise<void> {
  await cluster.api.json({ method: "PATCH", path, body, contentType: "application/merge-patch+json" });
}

function application(namespace: string, name: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/applications/${name}`;
}

function project(namespace: string, name: string): string {
  return `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/appprojects/${name}`;
}

const secretType = "argocd.argoproj.io/secret-type";
