// Releases of charts from the command line to the cluster: a hub, an agent with the role `execute`, and the real helm.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CommandDetail } from "@fairlead/contract";
import { ensureTools, openHelm } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reloaderDeployment, startReloaderCharts } from "../fleet/reloader-charts.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let fleet: Fleet;
let folder: string;
/** For commands that render charts themselves. */
let withHelm: { readonly PATH: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-commands-helm-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const { helm } = await ensureTools(["helm"]);
  withHelm = { PATH: `${dirname(helm)}:${process.env["PATH"]}` };
  fleet = undo.use(await startFleet({ roles: ["proxy", "execute"], agentEnv: withHelm }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const { name } = fleet.namespace;
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, "--namespace", name]);
});
afterAll(() => undo.disposeAsync());

test("the example is planned, installed and uninstalled, and its password is seen by nobody", async () => {
  const password = `canary-${crypto.randomUUID()}`;
  const { name: namespace } = fleet.namespace;
  await fleet.cluster.kubectl([
    "create",
    "secret",
    "generic",
    "database",
    `--from-literal=password=${password}`,
    "-n",
    namespace,
  ]);
  const example = await readFile(join(import.meta.dirname, "../../deploy/examples/helm.yaml"), "utf8");
  const file = join(folder, "helm.yaml");
  await writeFile(
    file,
    example.replaceAll("namespace: shop", `namespace: ${namespace}`).replaceAll("shop/", `${namespace}/`),
  );

  const plan = await finish(file, "--dry-run");
  expect(plan).toMatchObject({ state: "succeeded", kind: "helm", target: `helm/${namespace}/web` });
  expect(didOf(plan)).toEqual({ "web-page": "created", "web-database": "created", web: "created" });
  const { stdout } = await fleet.hub.cli(["run", "helm", "-f", file, "--cluster", "east", "--follow"]);
  expect(stdout).toContain(`installs ${namespace}/web by the chart inline\n`);
  expect(stdout).toContain("revision 1 is deployed\n");
  const secret = await fleet.kubectl(["get", "secret", "web-database", "-o", "jsonpath={.data.password}"]);
  expect(Buffer.from(secret.stdout, "base64").toString()).toBe(password);

  await writeFile(join(folder, "gone.json"), JSON.stringify({ release: "web", namespace, action: "uninstall" }));
  const gone = await finish(join(folder, "gone.json"));
  expect(gone).toMatchObject({ state: "succeeded", result: { status: "absent" } });
  const logs = await Promise.all([fleet.hub.logFile, fleet.joined.agent.logFile].map((log) => readFile(log, "utf8")));
  const told = [plan, gone].map((run) => JSON.stringify(run));
  for (const text of [...told, stdout, ...logs]) {
    expect(text).not.toContain(password);
    expect(text).not.toContain(Buffer.from(password).toString("base64"));
  }
});

test("the example of a template is used by who may do nothing else, and its own password alone gets into the cluster", async () => {
  const { name: namespace } = fleet.namespace;
  const example = await readFile(join(import.meta.dirname, "../../deploy/examples/template.yaml"), "utf8");
  const file = join(folder, "template.yaml");
  const there = example
    .replaceAll("namespace: shop", `namespace: ${namespace}`)
    .replaceAll("secret:shop/", `secret:${namespace}/`);
  await writeFile(file, there.replace(/^clusters:.*$/m, "clusters: {names: [east]}"));
  expect((await fleet.hub.cli(["template", "apply", "-f", file])).stdout).toMatch(/^page is at revision \d+\.$/m);
  const send = (method: string, path: string, body: object, authorization = `Bearer ${fleet.hub.adminToken}`) =>
    requestHub(fleet.hub, path, { method, body: JSON.stringify(body), authorization });
  const role = { hubRules: [{ verbs: ["use"], resources: ["templates/page"] }], clusterRules: [], groups: [] };
  await send("PUT", "/api/v1/roles/page-users", role);
  await send("POST", "/api/v1/robots", { name: "shop" });
  const binding = { subject: { kind: "robot", name: "shop" }, role: "page-users", clusters: { names: ["east"] } };
  await send("POST", "/api/v1/bindings", binding);
  const { token } = (await send("POST", "/api/v1/robots/shop/tokens", { ttlMs: 600_000 })).json() as { token: string };

  const spec = { name: "page", parameters: { app: "news", replicas: 3, labels: { team: "shop" } } };
  const own = `Bearer ${token}`;
  const asked = await send("POST", "/api/v1/commands", { cluster: "east", kind: "template", spec }, own);
  const { id } = asked.json() as CommandDetail;
  const look = async () =>
    (await requestHub(fleet.hub, `/api/v1/commands/${id}`, { authorization: own })).json() as CommandDetail;
  await expect.poll(async () => (await look()).finishedAt, { timeout: 60_000, interval: 500 }).toBeDefined();
  expect(await look()).toMatchObject({
    state: "succeeded",
    requester: "robot:shop",
    parameters: { greeting: "hello" },
  });
  const data = await fleet.kubectl(["get", "configmap", "page-news", "-o", "jsonpath={.data}{.metadata.labels.team}"]);
  expect(data.stdout).toBe('{"index.html":"hello, says news","replicas":"3"}shop');
  const evil = { ...spec, parameters: { app: "news", greeting: `\${secret:${namespace}/database/password}` } };
  const refused = await send("POST", "/api/v1/commands", { cluster: "east", kind: "template", spec: evil }, own);
  expect(refused.json()).toMatchObject({ code: "TEMPLATE_PARAMETERS_INVALID" });
  const raw = { cluster: "east", kind: "helm", spec: { release: "page-news", namespace, action: "uninstall" } };
  expect((await send("POST", "/api/v1/commands", raw, own)).json()).toMatchObject({ code: "ACCESS_DENIED" });
  const records = (await requestHub(fleet.hub, "/api/v1/audit?limit=50")).json() as {
    items: { name?: string; template?: string }[];
  };
  expect(records.items.find(({ name }) => name === id)?.template).toMatch(/^page@\d+$/);
  const shown = await fleet.hub.cli(["run", "get", id]);
  expect(shown.stdout).toMatch(/^Template: +page, revision \d+$/m);
});

test("an addon is installed where it is missing, left alone where it is there, and removed after a word of warning", async () => {
  await using charts = await startReloaderCharts({ folder: join(folder, "charts"), extra: helper });
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  await using undoRights = new AsyncDisposableStack();
  await fleet.cluster.kubectl(["create", "clusterrolebinding", "addons", "--clusterrole=cluster-admin", agents]);
  undoRights.defer(async () => void (await fleet.cluster.kubectl(["delete", "clusterrolebinding", "addons"])));
  const values = join(folder, "reloader.yaml");
  await writeFile(values, "note: mine\n");
  const options = ["--cluster", "east", "--mirror", charts.mirror, "--values", `reloader=${values}`];

  const images = await fleet.hub.cli(
    [
      "addon",
      "image",
      "list",
      "reloader",
      "--mirror",
      charts.mirror,
      "--image-mirror",
      "own.invalid/all",
      "--show-values",
    ],
    { env: withHelm },
  );
  expect(images.stdout).toMatch(
    /^reloader +mirror\.invalid\/stakater\/reloader:v1\.2\.0 +own\.invalid\/all\/stakater\/reloader:v1\.2\.0 +yes$/m,
  );
  expect(images.stdout).toContain("image: own.invalid/all/stakater/reloader\n");
  expect(images.stdout).toMatch(/^reloader +fixed\.invalid\/helper:v1 .* no$/m);
  expect(images.stderr).toContain("  reloader: fixed.invalid/helper:v1\n");

  const plan = await fleet.hub.cli(["addon", "plan", "reloader", ...options]);
  expect(plan.stdout).toMatch(/1 +reloader .* helm +asked for/);
  const dryRun = (...args: string[]) => fleet.hub.cli(["addon", ...args, "--dry-run"], { allowFailure: true });
  expect(await dryRun("install", "reloader", ...options)).toMatchObject({ code: 1, stdout: plan.stdout });
  const installed = await fleet.hub.cli(["addon", "install", "reloader", ...options, "--yes"]);
  expect(installed.stdout).toContain("succeeded");
  const note = await fleet.cluster.kubectl([
    "get",
    "deployment",
    "reloader",
    "--namespace",
    "reloader",
    "-o",
    "jsonpath={.metadata.annotations.note}",
  ]);
  expect(note.stdout).toBe("mine");
  const again = await fleet.hub.cli(["addon", "install", "reloader", ...options, "--yes"]);
  expect(again.stdout).toBe("All of it is there.\n");
  expect(again.stderr).toContain("reloader is left as it is");

  expect((await dryRun("install", "reloader", ...options)).code).toBe(0);

  const wouldGo = await dryRun("uninstall", "reloader", "--cluster", "east");
  expect(wouldGo).toMatchObject({ code: 1, stdout: "- release reloader/reloader in east\n" });
  const removed = await fleet.hub.cli(["addon", "uninstall", "reloader", "--cluster", "east", "--yes"]);
  expect(removed.stderr).toContain("Nothing that works now needs it.");
  const gone = await fleet.cluster.kubectl(["get", "deployments", "--namespace", "reloader", "-o", "name"]);
  expect(gone.stdout).toBe("");
  const refused = await fleet.hub.cli(["addon", "uninstall", "reloader", "--cluster", "east", "--yes"], {
    allowFailure: true,
  });
  expect(refused.stderr).toContain("CLI_ADDON_NOT_REMOVABLE");
});

test("an addon of a person's own Helm is upgraded with its values, and what was changed by hand is said and set back", async () => {
  await using charts = await startReloaderCharts({ folder: join(folder, "upgraded"), version: "2.0.0" });
  await charts.publish("2.1.0", { "templates/deployment.yaml": reloaderDeployment.replace("v1.2.0", "v1.3.0") });
  const canary = `canary-${crypto.randomUUID()}`;
  await using helm = await openHelm({ kubeconfig: fleet.cluster.adminKubeconfig });
  const there = await helm.writeValues({ note: "theirs", token: canary });
  const place = ["--namespace", "reloader-of-mine", "--create-namespace", "--values", there];
  await helm.run(["install", "mine", charts.chart, "--repo", charts.url, "--version", "2.0.0", ...place]);
  await using undoRights = new AsyncDisposableStack();
  undoRights.defer(async () => {
    await fleet.cluster.kubectl(["delete", "clusterrolebinding", "addons"]);
    await fleet.cluster.kubectl(["delete", "namespace", "reloader-of-mine", "--wait=false"]);
  });
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  await fleet.cluster.kubectl(["create", "clusterrolebinding", "addons", "--clusterrole=cluster-admin", agents]);
  const get = async (path: string) =>
    (await fleet.cluster.kubectl(["get", "deployment/reloader", "-n", "reloader-of-mine", "-o", `jsonpath=${path}`]))
      .stdout;
  await fleet.cluster.kubectl(["scale", "deployment/reloader", "-n", "reloader-of-mine", "--replicas=3"]);
  await fleet.cluster.kubectl(["label", "deployment/reloader", "-n", "reloader-of-mine", "by-hand=yes"]);

  const values = join(folder, "upgrade.yaml");
  await writeFile(values, "extra: mine\n");
  const options = [
    "--cluster",
    "east",
    "--mirror",
    charts.mirror,
    "--to",
    "reloader=2.1.0",
    "--values",
    `reloader=${values}`,
  ];
  const addons = (...args: readonly string[]) =>
    fleet.hub.cli(["addon", ...args], { env: withHelm, allowFailure: true });
  const adopted = await addons("adopt", "reloader", "--cluster", "east", "--mirror", charts.mirror, "--dry-run");
  expect(adopted.stdout).toContain("the hub keeps it, by the agent's role execute: it takes over the release");
  expect(adopted.stderr).toContain("ADDON_ADOPTION_DIFFERS");
  expect(adopted.stderr).toContain("deployments.apps reloader-of-mine/reloader spec.replicas");
  const plan = await addons("upgrade", "reloader", ...options, "--dry-run");
  expect(plan.stderr).toBe("");
  expect(plan.stdout).toMatch(/1 +reloader +reloader +2\.0\.0 +2\.1\.0 /);
  expect(plan.stdout).toContain("containers[name=reloader].image mirror.invalid/stakater/reloader:v1.2.0 → mirror");
  const named = "deployments.apps reloader-of-mine/reloader";
  expect(plan.stdout).toMatch(new RegExp(`${named} spec.replicas 1 → 3 by kubectl.*; this sets it back to 1`));
  expect(plan.stdout).toMatch(new RegExp(`${named} metadata.labels.by-hand .*; this keeps it`));
  expect(await get("{.spec.replicas}")).toBe("3");

  const upgraded = await addons("upgrade", "reloader", ...options, "--yes");
  expect(upgraded.stdout).toMatch(/^east: succeeded /m);
  expect(await get("{.spec.replicas} {.metadata.labels.by-hand} {.metadata.annotations}")).toMatch(
    /^1 yes .*"note":"theirs mine"/,
  );
  const secret = await fleet.cluster.kubectl([
    "get",
    "secret/mine",
    "-n",
    "reloader-of-mine",
    "-o",
    "jsonpath={.data.token}",
  ]);
  expect(Buffer.from(secret.stdout, "base64").toString()).toBe(canary);
  const [run] = ((await requestHub(fleet.hub, "/api/v1/commands?limit=1")).json() as { items: { id: string }[] }).items;
  const detail = JSON.stringify((await requestHub(fleet.hub, `/api/v1/commands/${run?.id}`)).json());
  const logs = await Promise.all([fleet.hub.logFile, fleet.joined.agent.logFile].map((log) => readFile(log, "utf8")));
  for (const text of [plan.stdout, upgraded.stdout, upgraded.stderr, detail, ...logs])
    expect(text).not.toContain(canary);
  expect((await addons("upgrade", "reloader", ...options, "--yes")).stdout).toBe("There is nothing to upgrade.\n");

  const taken = await addons("adopt", "reloader", "--cluster", "east", "--mirror", charts.mirror, "--yes");
  expect(taken.stderr).toContain("No object changes.");
  expect(taken.stdout).toMatch(/^east: succeeded /m);
  expect(JSON.stringify(taken)).not.toContain(canary);
  // Nothing can run its pods until a node has the label, so that the agent dies in the middle for certain.
  const label = `upgrade-${crypto.randomUUID()}`;
  const waiting = `      nodeSelector: {${label}: here}\n      containers:`;
  await charts.publish("2.1.1", {
    "templates/deployment.yaml": reloaderDeployment.replace("      containers:", waiting),
  });
  const last = ["--cluster", "east", "--mirror", charts.mirror, "--to", "reloader=2.1.1", "--yes"];
  const cut = fleet.hub.cli(["addon", "upgrade", "reloader", ...last], {
    ...patient,
    env: withHelm,
    allowFailure: true,
  });
  const pending = "/api/v1/namespaces/reloader-of-mine/secrets?labelSelector=status%3Dpending-upgrade";
  const listPending = async () => {
    const { items } = await fleet.cluster.api.json<{ items: readonly { metadata: { name: string } }[] }>({
      path: pending,
    });
    return items.map(({ metadata }) => metadata.name);
  };
  await expect.poll(listPending).toEqual([expect.stringContaining("sh.helm.release.v1.mine")]);
  await fleet.joined.agent.stop("KILL");
  await fleet.cluster.kubectl(["label", "nodes", "--all", `${label}=here`]);
  undoRights.defer(async () => void (await fleet.cluster.kubectl(["label", "nodes", "--all", `${label}-`])));
  await fleet.joined.agent.start();
  expect((await cut).stdout).toMatch(/^east: succeeded /m);
  expect(await listPending()).toEqual([]);
  expect((await addons("upgrade", "reloader", ...last)).stdout).toBe("There is nothing to upgrade.\n");

  const next = ["--cluster", "east", "--mirror", charts.mirror, "--to", "reloader=2.2.0", "--yes"];
  await charts.publish("2.2.0");
  await charts.tamper("2.2.0");
  expect((await addons("upgrade", "reloader", ...next)).stderr).toContain("CLI_ADDON_CHART_MISMATCH");
  const missing = next.map((each) => each.replace("2.2.0", "2.9.0"));
  expect((await addons("upgrade", "reloader", ...missing)).stderr).toContain("CLI_ADDON_CHART_MISSING");
  await charts[Symbol.asyncDispose]();
  expect((await addons("upgrade", "reloader", ...next)).stderr).toContain("CLI_ADDON_CHART_UNREACHABLE");
  expect(await get("{.spec.template.spec.nodeSelector}")).toContain(label);
});

async function finish(file: string, ...args: string[]): Promise<CommandDetail> {
  // A dry run exits with 1 where anything would change.
  const options = { allowFailure: args.includes("--dry-run") };
  const { stdout } = await fleet.hub.cli(
    ["run", "helm", "-f", file, "--cluster", "east", "--wait", "--json", ...args],
    options,
  );
  const { items } = JSON.parse(stdout) as { items: { id: string }[] };
  return (await requestHub(fleet.hub, `/api/v1/commands/${items[0]?.id}`)).json() as CommandDetail;
}

function didOf({ result }: CommandDetail): Record<string, string> {
  const { objects } = result as { objects: { name: string; did: string }[] };
  return Object.fromEntries(objects.map(({ name, did }) => [name, did]));
}

/** Its image stands in the chart itself. */
const helper = `apiVersion: v1
kind: Pod
metadata: {name: helper}
spec:
  containers: [{name: helper, image: "fixed.invalid/helper:v1"}]
`;

const patient = { timeoutMs: 150_000 };
