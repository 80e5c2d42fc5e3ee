// The hub's chart installed by real Helm, and the hub's program run with the settings that the chart made. The objects
// of both charts are also put to a real API server, which knows every field that an object may have.
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ClusterAccess,
  chartFolder,
  createNamespace,
  type Helm,
  imageRegistry,
  type Manifest,
  openHelm,
  readPodProgram,
  reservePorts,
  sharedCluster,
  startHub,
  type TestNamespace,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

let undo: AsyncDisposableStack;
let folder: string;
let cluster: ClusterAccess;
let namespace: TestNamespace;
let helm: Helm;

beforeAll(async () => {
  undo = new AsyncDisposableStack();
  folder = await mkdtemp(join(tmpdir(), "fairlead-charts-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  cluster = await sharedCluster();
  namespace = undo.use(await createNamespace(cluster, "charts"));
  helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
});
afterAll(() => undo?.disposeAsync());

test.each(["fairlead-agent", "fairlead-hub"] as const)(
  "an API server takes each object of %s as it is",
  async (chart) => {
    const ci = join(chartFolder(chart), "ci");
    for (const example of await readdir(ci)) {
      const objects = await helm.render({ chart, namespace: namespace.name, args: ["--values", join(ci, example)] });
      const known = objects.filter(({ apiVersion }) => !fromOthers.test(apiVersion));
      await makeNamespacesOf(known);
      const input = known.map((object) => JSON.stringify(object)).join("\n---\n");
      const apply = ["apply", "--server-side", "--validate=strict", "--dry-run=server", "-o", "name", "-f", "-"];
      const { stdout, stderr } = await cluster.kubectl(apply, { input });
      expect(stdout.trim().split("\n")).toHaveLength(known.length);
      expect(stderr).not.toContain("Warning");
    }
  },
);

/** Kinds whose CustomResourceDefinitions this cluster doesn't have. */
const fromOthers = /^(gateway\.networking\.k8s\.io|monitoring\.coreos\.com)\//;

/** Roles of an example may be for namespaces that a cluster has only where somebody made them. */
async function makeNamespacesOf(objects: readonly Manifest[]): Promise<void> {
  for (const name of new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []))) {
    const { stdout } = await cluster.kubectl(["create", "namespace", name], { allowFailure: true });
    if (!stdout.includes("created")) continue;
    undo.defer(async () => void (await cluster.kubectl(["delete", "namespace", name, "--wait=false"])));
  }
}

test("the hub comes up with its claim, and an uninstall leaves the claim", async () => {
  const storageClass = namespace.name;
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(volumeOf(storageClass)) });
  undo.defer(async () => void (await cluster.kubectl(["delete", "persistentvolume", storageClass, "--wait=false"])));
  const values = await helm.writeValues({
    publicUrl: "https://hub.example.com",
    image: { registry: imageRegistry },
    persistence: { storageClass },
  });
  const install = ["install", "hub", chartFolder("fairlead-hub"), "--values", values, "--wait"];
  const { stdout: notes } = await helm.run([...install, ...inNamespace()]);
  expect(notes).toContain("logs statefulset/hub-fairlead-hub");
  const claim = ["get", "persistentvolumeclaim", "data-hub-fairlead-hub-0", "-o", "jsonpath={.status.phase}"];
  expect((await cluster.kubectl([...inNamespace(), ...claim])).stdout).toBe("Bound");
  expect((await cluster.kubectl([...inNamespace(), "get", "pods", "-o", "name"])).stdout).toBe(
    "pod/hub-fairlead-hub-0\n",
  );

  await helm.run(
    ["upgrade", "hub", chartFolder("fairlead-hub"), "--values", values, "--set", "config.drain=1ms", "--wait"].concat(
      inNamespace(),
    ),
  );
  await helm.run(["uninstall", "hub", "--wait", ...inNamespace()]);
  expect((await cluster.kubectl([...inNamespace(), ...claim])).stdout).toBe("Bound");
  const account = ["auth", "can-i", "get", "pods", ...inNamespace()];
  const as = `--as=system:serviceaccount:${namespace.name}:hub-fairlead-hub`;
  expect((await cluster.kubectl([...account, as], { allowFailure: true })).stdout).toBe("no\n");
});

test("the hub's program serves with the file that the chart made", async () => {
  await using ports = await reservePorts(2);
  const [people, agents] = ports.ports;
  const publicUrl = `https://127.0.0.1:${people}`;
  const agentPublicUrl = `https://127.0.0.1:${agents}`;
  const objects = await helm.render({
    chart: "fairlead-hub",
    values: { publicUrl, agentPublicUrl, config: { trustDomain: "charts.test" } },
  });
  const file = find(objects, "ConfigMap")["data"]["hub.yaml"];
  await writeFile(join(folder, "hub.yaml"), file);
  const { args } = readPodProgram(find(objects, "StatefulSet"), { "/etc/fairlead/config": folder });
  // On loopback here, as the pod's own addresses and folders aren't this machine's.
  const listen = ["--listen", `127.0.0.1:${people}`, "--agent-listen", `127.0.0.1:${agents}`];
  await using hub = await startHub({ args: [...args, ...listen] });
  expect(hub.url).toBe(publicUrl);
  const { stdout } = await hub.cli(["cluster", "add", "east", "--json"]);
  expect(JSON.parse(stdout).join).toMatchObject({ hubAgentUrl: agentPublicUrl });
  expect((await hub.cli(["version", "--json"])).stdout).toContain("charts.test");
});

function volumeOf(storageClass: string): object {
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name: storageClass },
    spec: {
      storageClassName: storageClass,
      capacity: { storage: "8Gi" },
      accessModes: ["ReadWriteOnce"],
      persistentVolumeReclaimPolicy: "Retain",
      // Never written: no kubelet runs here.
      hostPath: { path: "/nonexistent" },
    },
  };
}

function find(objects: readonly Manifest[], kind: string): Manifest {
  const found = objects.find((object) => object.kind === kind);
  if (!found) throw new Error(`no ${kind} was rendered`);
  return found;
}

function inNamespace(): string[] {
  return ["--namespace", namespace.name];
}
