// An upgrade by Helm from a former commit's charts to these, and the way back. The pods' programs of each version run here as
// processes, with what that version's chart gave them.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ClusterAccess,
  chartFolder,
  createNamespace,
  findLogLines,
  type Helm,
  imageRegistry,
  openHelm,
  type RunningProcess,
  readPodProgram,
  sharedCluster,
  startHub,
  startProgram,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkOutFormer, type FormerVersion } from "../fleet/other-versions.ts";

/** The last one before the charts asked for a registry. */
const formerCommit = "cdeb60c4";
const undo = new AsyncDisposableStack();
let cluster: ClusterAccess;
let folder: string;
let former: FormerVersion;
let helm: Helm;
let hub: TestHub;
let namespace: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-former-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, "former"));
  former = await checkOutFormer(join(folder, "former"), formerCommit);
  cluster = await sharedCluster();
  hub = undo.use(await startHub());
  namespace = undo.use(await createNamespace(cluster, "former")).name;
  helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
});
afterAll(() => undo.disposeAsync());

describe("an agent that the former chart installed", () => {
  let identities: string[];
  let pod: RunningProcess;

  beforeAll(async () => {
    await hub.cli(["cluster", "add", "east", "--role", "proxy", "--token-out", join(folder, "token")]);
    undo.defer(async () => void (await runHelm("uninstall", "agent").catch(() => undefined)));
    const values = await helm.writeValues({ hub: { url: hub.agentUrl }, token: { existingSecret: "join" } });
    await runHelm("install", "agent", former.chart("fairlead-agent"), "--values", values);
    pod = await startPod("first", former);
    identities = await readIdentities();
    expect(identities).toHaveLength(1);
  });
  afterAll(async () => void (await pod?.stop({ graceMs: 0 })));

  test("is upgraded to this one's, and keeps its identity", async () => {
    await pod.stop({ graceMs: 15_000 });
    await upgrade("agent", "fairlead-agent");
    pod = await startPod("second");
    expect(await readIdentities()).toEqual(identities);
  });

  test("is rolled back, and is the one that it was", async () => {
    await pod.stop({ graceMs: 15_000 });
    await runHelm("rollback", "agent", "1");
    pod = await startPod("third", former);
    expect(await readIdentities()).toEqual(identities);
  });
});

test("a hub goes from the former chart to this one and back, with its claim", async () => {
  undo.defer(async () => void (await runHelm("uninstall", "hub").catch(() => undefined)));
  const values = await helm.writeValues({ publicUrl: "https://hub.example.com" });
  await runHelm("install", "hub", former.chart("fairlead-hub"), "--values", values);
  const before = await readHub();
  await upgrade("hub", "fairlead-hub");
  const now = await readHub();
  expect(now.spec.volumeClaimTemplates).toEqual(before.spec.volumeClaimTemplates);
  expect(now.metadata.uid).toBe(before.metadata.uid);
  await runHelm("rollback", "hub", "1");
  const after = await readHub();
  expect(after.spec).toEqual(before.spec);
  expect(after.metadata.uid).toBe(before.metadata.uid);
});

/** As docs/install.md says it. */
async function upgrade(release: string, chart: "fairlead-agent" | "fairlead-hub"): Promise<void> {
  const registry = ["--set-string", `image.registry=${imageRegistry}`];
  await runHelm("upgrade", release, chartFolder(chart), "--reset-then-reuse-values", ...registry);
}

async function runHelm(...args: string[]): Promise<void> {
  await helm.run([...args, "--namespace", namespace]);
}

/** Runs what the release's Deployment says, until it has its link. */
async function startPod(label: string, version?: FormerVersion): Promise<RunningProcess> {
  const deployment = await readObject("deployment", "agent-fairlead-agent-proxy");
  const { args, env, serviceAccount } = readPodProgram(deployment, { "/var/run/fairlead/token": folder });
  const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace, name: serviceAccount });
  const logFile = join(folder, `${label}.log`);
  return await startProgram("agent", {
    name: `${label} agent`,
    args: [...args, "--kubeconfig", kubeconfig, "--health-listen", "127.0.0.1:0"],
    env: { HOME: folder, ...env, ...version?.env },
    programs: version?.programs,
    logFile,
    readyWhen: async () => (await findLogLines(logFile, "agent is connected")).length > 0,
    readyTimeoutMs: 120_000,
  });
}

async function readIdentities(): Promise<string[]> {
  const { identities } = JSON.parse((await hub.cli(["cluster", "get", "east", "--json"])).stdout);
  return identities.map(({ keyThumbprint }: { keyThumbprint: string }) => keyThumbprint);
}

async function readHub() {
  return await readObject("statefulset", "hub-fairlead-hub");
}

async function readObject(kind: string, name: string) {
  return JSON.parse((await cluster.kubectl(["--namespace", namespace, "get", kind, name, "--output", "json"])).stdout);
}
