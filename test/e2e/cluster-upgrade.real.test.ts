// `fairlead cluster upgrade` with the real kubectl, the real helm and the real chart, over two clusters. What the pods of a
// version would run follows the Deployments as processes.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  type ClusterAccess,
  type CommandResult,
  chartFolder,
  ensureTools,
  type Helm,
  imageRegistry,
  leaseCluster,
  openHelm,
  sharedCluster,
  startHub,
  type TestHub,
} from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FollowedDeployment, followDeployment } from "../fleet/follow-deployment.ts";
import { renumberAgent, renumberChart } from "../fleet/other-versions.ts";
import { requestHub } from "../fleet/request-hub.ts";

interface Member {
  readonly name: "east" | "west";
  readonly cluster: ClusterAccess;
  readonly helm: Helm;
  readonly pods: FollowedDeployment;
}

const undo = new AsyncDisposableStack();
const charts = new Map<string, string>();
let folder: string;
let hub: TestHub;
let east: Member;
let west: Member;
/** The version of this repository. */
let current: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-upgrade-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  current = JSON.parse(await readFile(join(import.meta.dirname, "../../packages/agent/package.json"), "utf8")).version;
  for (const version of [next, broken, distant])
    charts.set(version, await renumberChart(join(folder, `chart-${version}`), "fairlead-agent", version));
  const programs = new Map([
    [current, undefined],
    [next, await renumberAgent(join(folder, "programs"), next)],
  ]);
  await linkPrograms();
  const [first, second] = await Promise.all([sharedCluster(), leaseCluster({ name: "west" })]);
  undo.use(second);
  hub = undo.use(await startHub());
  east = await openMember("east", first, programs);
  west = await openMember("west", second, programs);
});
afterAll(() => undo.disposeAsync());

/** The same in both clusters. In the shared one other tests have agents, too. */
const namespace = `upgrade-${randomBytes(4).toString("hex")}`;
const next = "0.2.0";
/** Nothing of this version starts. */
const broken = "0.2.1";
const distant = "0.9.0";

describe("what is there is shown", () => {
  test("versions beside the hub's, without any cluster being asked", async () => {
    const { stdout, code } = await upgrade({ path: "/nonexistent" });
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^east +connected +proxy +${current} +${current} +same *$`, "m"));
    expect(stdout).toMatch(/^west /m);
  });

  test("a plan, in waves, which changes nothing", async () => {
    const { stdout } = await upgrade({ version: next, args: ["--dry-run"] });
    expect(stdout).toMatch(new RegExp(`^1 +east +${current} +${next} +upgrade ${namespace}/fairlead-agent *$`, "m"));
    expect(stdout).toMatch(new RegExp(`^2 +west +${current} +${next} +upgrade ${namespace}/fairlead-agent *$`, "m"));
    expect([await revisionOf(east), await revisionOf(west)]).toEqual([1, 1]);
  });
});

describe("what can't be upgraded from here is told before anything is changed", () => {
  test("a context that leads to another cluster", async () => {
    const refused = await upgrade({ version: next, contexts: [`east=${west.cluster.name}`], args: ["--yes"] });
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("leads to a different cluster") });
    expect(refused.stderr).toContain("(CLI_UPGRADE_UNUSABLE)");
    expect(await revisionOf(west)).toBe(1);
  });

  test("one that leads through the hub, and so through the agent itself", async () => {
    const kubeconfig = join(folder, "through-hub");
    await hub.cli(["kubeconfig", "east", "--context-prefix", "", "--output", kubeconfig]);
    const refused = await upgrade({ version: next, kubeconfig, args: ["--cluster", "east", "--yes"], contexts: [] });
    expect(refused).toMatchObject({ code: 5, stderr: expect.stringContaining("leads through the hub") });
  });

  test("no context, values that pin the image, a hub that is too far away", async () => {
    const unnamed = await upgrade({ version: next, contexts: [], args: ["--cluster", "east", "--yes"] });
    expect(unnamed).toMatchObject({ code: 5, stderr: expect.stringContaining("has no context 'east'") });
    expect(unnamed.stderr).toContain("--cluster-context east=CONTEXT");
    const far = await upgrade({ version: distant, args: ["--yes"] });
    expect(far).toMatchObject({ code: 5, stderr: expect.stringContaining("(CLI_UPGRADE_TOO_FAR)") });
    expect((await upgrade({ version: "none", args: ["--yes"] })).stderr).toContain("(CLI_CHART_MISSING)");
  });

  test("an agent that Argo CD installs gets the line to change, and the others are upgraded", async () => {
    const id = "argocd.argoproj.io/tracking-id";
    await annotate(`${id}=agents:apps/Deployment:${namespace}/${deployment}`);
    const { stdout } = await upgrade({ version: next, args: ["--dry-run"] });
    expect(stdout).toMatch(/^- +west .* change by hand *$/m);
    expect(stdout).toContain(`west: change this in the Argo CD application 'agents':\n  targetRevision: ${next}\n`);
    expect(stdout).toMatch(/^1 +east .* upgrade /m);
    await annotate(`${id}-`);
  });
});

test("agents are upgraded one wave after the other, and keep their identities", async () => {
  const before = await identitiesOf("west");
  const { code, stdout, stderr } = await upgrade({ version: next, args: ["--yes"] });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toBe(`2 of 2 agents are live with ${next}.\n`);
  const steps = stderr.split("\n").filter((line) => /^[…✓]/.test(line));
  expect(steps).toEqual([
    `… east: upgrading to ${next}`,
    `✓ east: live with ${next}`,
    `… west: upgrading to ${next}`,
    `✓ west: live with ${next}`,
  ]);
  for (const { pods } of [east, west]) expect(pods.started).toEqual([current, next]);
  expect(await identitiesOf("west")).toEqual(before);
  const again = await upgrade({ version: next, args: ["--yes"] });
  expect(again).toMatchObject({ code: 0, stdout: "There is nothing to upgrade.\n" });
});

test("one that doesn't get live is rolled back, and no further cluster is begun", async () => {
  const failed = await upgrade({ version: broken, args: ["--yes", "--timeout", "3s"] });
  expect(failed.code).toBe(1);
  expect(failed.stderr).toMatch(/✗ east: its agent for proxy is 0\.2\.0 still after 3s/);
  expect(failed.stderr).toContain(`✓ east: rolled back, live with ${next}`);
  expect(failed.stderr).toContain("Left as they are: west.");
  expect(failed.stderr).toContain("(CLI_UPGRADE_ROLLED_BACK)");
  const { stdout } = await east.helm.run(["history", "fairlead-agent", ...inNamespace, "--output", "json"]);
  const history = JSON.parse(stdout) as { revision: number; app_version: string; status: string }[];
  expect(history.map(({ revision, app_version }) => [revision, app_version])).toEqual([
    [1, current],
    [2, next],
    [3, broken],
    [4, next],
  ]);
  expect(history.at(-1)?.status).toBe("deployed");
  expect(await revisionOf(west)).toBe(2);
});

test("values that Helm refuses change nothing, and what pins the image is told", async () => {
  const wrong = await upgrade({ version: broken, args: ["--yes", "--set", "proxy.replicas=many"] });
  expect(wrong.stderr).toMatch(/\/proxy\/replicas.*\(CLI_UPGRADE_REFUSED\)/s);
  expect(await revisionOf(east)).toBe(4);
  const chart = charts.get(next) ?? "";
  const pin = ["--reset-then-reuse-values", "--set-string", `image.tag=${next}`];
  await east.helm.run(["upgrade", "fairlead-agent", chart, ...inNamespace, ...pin]);
  const pinned = await upgrade({ version: broken, args: ["--yes"] });
  expect(pinned).toMatchObject({ code: 5, stderr: expect.stringContaining("pin the image (image.tag)") });
});

const deployment = "fairlead-agent-proxy";
const inNamespace = ["--namespace", namespace];

async function openMember(
  name: Member["name"],
  cluster: ClusterAccess,
  versions: ReadonlyMap<string, string | undefined>,
): Promise<Member> {
  const namespaces = "/api/v1/namespaces";
  await cluster.api.json({ method: "POST", path: namespaces, body: { metadata: { name: namespace } } });
  undo.defer(async () => void (await cluster.api.send({ method: "DELETE", path: `${namespaces}/${namespace}` })));
  const helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
  const ofMember = join(folder, name);
  await mkdir(ofMember);
  await hub.cli(["cluster", "add", name, "--token-out", join(ofMember, "token")]);
  const values = await helm.writeValues({
    hub: { url: hub.agentUrl },
    image: { registry: imageRegistry },
    token: { existingSecret: "join" },
  });
  undo.defer(
    async () => void (await helm.run(["uninstall", "fairlead-agent", ...inNamespace], { allowFailure: true })),
  );
  await helm.run(["install", "fairlead-agent", chartFolder("fairlead-agent"), ...inNamespace, "--values", values]);
  const pods = undo.use(followDeployment({ cluster, namespace, name: deployment, folder: ofMember, versions }));
  const isLive = await waitUntil(() => pods.started.length === 1, { timeoutMs: 60_000 });
  if (!isLive) throw new Error(`the agent of ${name} didn't start`);
  return { name, cluster, helm, pods };
}

interface Upgrade {
  /** Of the chart; none only shows. */
  readonly version?: string;
  readonly args?: readonly string[];
  readonly contexts?: readonly string[];
  readonly kubeconfig?: string;
  readonly path?: string;
}

function upgrade({ version, args = [], contexts, kubeconfig, path }: Upgrade): Promise<CommandResult> {
  const named = contexts ?? [`east=${east.cluster.name}`, `west=${west.cluster.name}`];
  const chart = version === undefined ? [] : ["--chart", charts.get(version) ?? "./no/such/chart"];
  const everywhere = version === undefined || args.includes("--cluster") ? [] : ["--all-clusters"];
  const places = named.flatMap((name) => ["--cluster-context", name]).concat("--namespace", namespace);
  return hub.cli(["cluster", "upgrade", ...chart, ...everywhere, ...places, ...args], {
    env: {
      PATH: path ?? `${join(folder, "bin")}${delimiter}/usr/bin${delimiter}/bin`,
      HOME: folder,
      FAIRLEAD_CONFIG: hub.cliConfig,
      KUBECONFIG: kubeconfig ?? [east, west].map(({ cluster }) => cluster.adminKubeconfig).join(delimiter),
    },
    allowFailure: true,
    timeoutMs: 150_000,
  });
}

async function linkPrograms(): Promise<void> {
  const tools = await ensureTools(["kubectl", "helm"]);
  await mkdir(join(folder, "bin"));
  for (const name of ["kubectl", "helm"] as const) await symlink(tools[name], join(folder, "bin", name));
}

async function annotate(annotation: string): Promise<void> {
  await west.cluster.kubectl([...inNamespace, "annotate", "deployment", deployment, annotation]);
}

async function revisionOf(member: Member): Promise<number> {
  const selector = new URLSearchParams({ labelSelector: "owner=helm,name=fairlead-agent" });
  const path = `/api/v1/namespaces/${namespace}/secrets?${selector}`;
  const { items } = await member.cluster.api.json<{ items: { metadata: { labels: { version: string } } }[] }>({ path });
  return Math.max(...items.map(({ metadata }) => Number(metadata.labels.version)));
}

async function identitiesOf(name: string): Promise<string[]> {
  const shown = await requestHub(hub, `/api/v1/clusters/${name}`);
  const { identities } = shown.json() as { identities: { keyThumbprint: string }[] };
  return identities.map(({ keyThumbprint }) => keyThumbprint);
}
