// Whether a cluster is fit, as a person learns it from the hub while things in the cluster change.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  applyStandIns,
  type ClusterAccess,
  ensureTools,
  leaseCluster,
  openHelm,
  startArgoCluster,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { reloaderDeployment, startReloaderCharts } from "../fleet/reloader-charts.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let cluster: ClusterAccess;
let fleet: Fleet;
let withHelm: { readonly PATH: string };
beforeAll(async () => {
  cluster = undo.use(await leaseCluster({ name: "fitness" }));
  const { helm } = await ensureTools(["helm"]);
  withHelm = { PATH: `${dirname(helm)}:${process.env["PATH"]}` };
  fleet = undo.use(await startFleet({ cluster, roles: ["observe", "proxy", "execute"], agentEnv: withHelm }));
  await applyStandIns(cluster.api, ["argocd/upstream"]);
});
afterAll(() => undo.disposeAsync());

const check = "argocd.application-namespaces";

test("an argument of a Deployment turns the verdict on the hub, and turns it back when it is taken away", async () => {
  const { metadata } = await waitForVerdict(check, "pass");
  await patchServer({ args: ["--application-namespaces=argocd"] });
  const failed = await waitForVerdict(check, "fail");
  expect(failed.metadata.uid).toBe(metadata.uid);
  expect(failed.status["evidence"]).toMatchObject([{ observed: "argocd", expected: "*" }]);
  const unfit = await fleet.hub.cli(["doctor", "--cluster", "east"], { allowFailure: true });
  expect(unfit.code).toBe(1);
  expect(unfit.stdout).toMatch(new RegExp(`^east +${check} +fail `, "m"));
  expect(unfit.stdout).toMatch(/^east +misconfigured +argocd /m);
  await patchServer({ args: [] });
  await waitForVerdict(check, "pass");
});

test("a ConfigMap that may not be read makes the check unknown, and the fix is the Role that lets the agent read it", async () => {
  await cluster.kubectl([
    "-n",
    "argocd",
    "create",
    "configmap",
    "other-params",
    "--from-literal=application.namespaces=*",
  ]);
  await patchServer({ env: [namespacesFrom("other-params")] });
  const { status } = await waitForVerdict(check, "unknown");
  expect(status["fix"]).toMatchObject({ is: "manifest" });
  expect(JSON.stringify(status["fix"])).toContain("other-params");
  await patchServer({ env: [namespacesFrom("argocd-cmd-params-cm")] });
  await waitForVerdict(check, "pass");
});

test("kinds that the cluster defines in Fairlead's group are said, and never pass for what the agent found", async () => {
  await waitForVerdict("cluster.reserved-group", "pass");
  await apply(definition("addons", "Addon"));
  await apply(definition("things", "Thing"));
  const { status } = await waitForVerdict("cluster.reserved-group", "fail");
  expect(status["message"]).toContain("OBSERVE_GROUP_RESERVED");
  const isServed = async () => (await cluster.api.send({ path: "/apis/fairlead.dev/v1/addons" })).status === 200;
  await waitUntil(isServed, patient);
  await apply({
    apiVersion: "fairlead.dev/v1",
    kind: "Addon",
    metadata: { name: "planted" },
    status: { state: "healthy" },
  });
  await patchServer({ args: ["--application-namespaces=argocd"] });
  await waitForVerdict(check, "fail");
  const { stdout } = await fleet.hub.cli(["get", "addons.fairlead.dev", "--cluster", "east"]);
  expect(stdout).toMatch(/^east +argocd /m);
  expect(stdout).not.toContain("planted");
  const things = await fleet.hub.cli(["get", "things.fairlead.dev", "--cluster", "east"], { allowFailure: true });
  expect(things.stderr).toContain("CLI_KIND_UNKNOWN");
});

test("features and gateways are shown for each cluster", async () => {
  const { stdout } = await fleet.hub.cli(["feature", "list", "--cluster", "east"]);
  expect(stdout).toMatch(/^deploy +blocked .*argocd\.application-namespaces: /m);
  expect((await fleet.hub.cli(["feature", "list"])).stdout).toMatch(/^deploy +blocked$/m);
  const matrix = await requestHub(fleet.hub, "/api/v1/fitness");
  expect(matrix.json()).toMatchObject({ items: [{ cluster: "east", age: {}, found: { fitness: "unfit" } }] });
  expect((await fleet.hub.cli(["gateway", "list", "--json"])).stdout).toContain('"gateways"');
});

test("people record through the hub which gateway wins, later another one, and nothing else of either changes", async () => {
  await applyStandIns(cluster.api, ["istio/chart"]);
  const [host, port] = ["*.apps.example.com", 443];
  await apply(istioGateway("rival", { host, port }));
  await waitForVerdict("gateways.duplicate-hosts", "fail");
  await cluster.kubectl([...ofGateways, "annotate", istioGateways, "public", "example.com/theirs=stays"]);
  expect(await prefer("nobody", `${host}:${port}`)).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("CLI_GATEWAY_UNKNOWN") as string,
  });
  for (const [winner, loser] of [
    ["public", "rival"],
    ["rival", "public"],
  ] as const) {
    const foreseen = await prefer(winner, `${host}:${port}`, ["--dry-run"]);
    expect(foreseen).toMatchObject({ code: 1, stderr: "" });
    expect(foreseen.stdout).toContain(`+  fairlead.dev/serves: "${host}:${port}"`);
    expect(await annotationsOf(winner)).not.toHaveProperty("fairlead.dev/serves");
    expect(await prefer(winner, `${host}:${port}`)).toMatchObject({ code: 0, stderr: "" });
    expect(await prefer(winner, `${host}:${port}`, ["--dry-run"])).toMatchObject({ code: 0 });
    expect((await annotationsOf(winner))["fairlead.dev/serves"]).toBe(`${host}:${port}`);
    expect(await annotationsOf(loser)).not.toHaveProperty("fairlead.dev/serves");
  }
  expect(await annotationsOf("public")).toMatchObject({ "example.com/theirs": "stays" });
  await waitForVerdict("gateways.duplicate-hosts", "pass");
  const isToldOfRival = await waitUntil(async () => {
    const rival = await readShown("gateways.fairlead.dev", "istio.istio-system.rival");
    return JSON.stringify(rival?.spec["chosenFor"]) === JSON.stringify([`${host}:${port}`]);
  }, patient);
  expect(isToldOfRival).toBe(true);
});

test("another profile turns verdicts by itself; until the agent has examined by it they are unknown", async () => {
  await waitForVerdict(check, "fail");
  const apply = (namespaces: string) =>
    fleet.hub.cli(["profile", "apply", "-f", "-"], {
      input: `name: ours\nextends: fairlead\nargocd: { applicationNamespaces: [${namespaces}] }\n`,
    });
  await apply("argocd");
  const { stdout } = await fleet.hub.cli(["cluster", "set", "east", "--fitness-profile", "ours"]);
  expect(stdout).toBe("'east' is examined by 'ours', generation 1.\n");
  const passed = await waitForVerdict(check, "pass");
  expect(passed.status["examinedWith"]).toMatchObject({ profile: "ours", generation: 1 });

  fleet.joined.cable.cut();
  await apply("argocd, shop");
  const doctor = () => fleet.hub.cli(["doctor", "--cluster", "east"], { allowFailure: true });
  const meanwhile = await doctor();
  expect(meanwhile.code).toBe(2);
  expect(meanwhile.stdout).toMatch(/^east +unknown +\S+ +0 +0 +0 +\d+ /m);
  expect(meanwhile.stdout).toMatch(/^east +unknown +argocd /m);
  expect(meanwhile.stderr).toContain("examined with generation 1 of the profile; 2 is asked for");
  expect((await fleet.hub.cli(["feature", "list"])).stdout).toMatch(/^deploy +unknown$/m);

  fleet.joined.cable.heal();
  const failed = await waitForVerdict(check, "fail");
  expect(failed.status["examinedWith"]).toMatchObject({ profile: "ours", generation: 2 });
  expect(failed.status["evidence"]).toMatchObject([{ observed: "argocd", expected: "argocd,shop" }]);
  const after = await doctor();
  expect(after.stdout).toMatch(new RegExp(`^east +${check} +fail `, "m"));
  expect(after.stderr).not.toContain("is asked for");
});

test("Argo CD adopts what a person installed by Helm without a pod restarting, and upgrades it from then on", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-adopt-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  await cluster.kubectl(["create", "clusterrolebinding", "addons", "--clusterrole=cluster-admin", agents]);
  undo.use(await startArgoCluster(cluster));
  const extra = "{apiVersion: v1, kind: ConfigMap, metadata: {name: old}, data: {a: b}}\n";
  await using charts = await startReloaderCharts({ folder, version: "2.0.0", extra });
  await using helm = await openHelm({ kubeconfig: cluster.adminKubeconfig });
  const place = ["--namespace", "theirs", "--create-namespace", "--set", "note=theirs"];
  await helm.run(["install", "mine", charts.chart, "--repo", charts.url, "--version", "2.0.0", ...place, "--wait"]);
  const inTheirs = async (...args: readonly string[]) => (await cluster.kubectl(["-n", "theirs", ...args])).stdout;
  const applications = async (path: string) =>
    (await cluster.kubectl(["-n", "argocd", "get", "applications", "-o", `jsonpath={.items[*]${path}}`])).stdout;
  const pods = () => inTheirs("get", "pods", "-o", "jsonpath={.items[*].metadata.uid}");
  const addons = (...args: readonly string[]) =>
    fleet.hub.cli(["addon", ...args, "--cluster", "east", "--mirror", charts.mirror], {
      env: withHelm,
      allowFailure: true,
      timeoutMs: 170_000,
    });

  await inTheirs("set", "image", "deployment/reloader", "reloader=mirror.invalid/stakater/reloader:by-hand");
  const refused = await addons("adopt", "reloader", "--yes");
  expect(refused.stderr).toContain("ADDON_ADOPTION_DIFFERS");
  expect(refused.stderr).toContain("containers[name=reloader].image");
  expect(await applications(".metadata.name")).toBe("");
  await inTheirs("set", "image", "deployment/reloader", "reloader=mirror.invalid/stakater/reloader:v1.2.0");
  await inTheirs("rollout", "status", "deployment/reloader");

  const before = await pods();
  const adopted = await addons("adopt", "reloader", "--yes");
  expect(adopted.stderr).toContain("No object changes.");
  expect(adopted.stdout).toMatch(/^east: succeeded /m);
  expect(await pods()).toBe(before);
  expect(await applications(".status.sync.status")).toBe("Synced");
  expect(await applications(".spec.source.helm")).toBe(
    '{"releaseName":"mine","skipCrds":true,"valuesObject":{"note":"theirs"}}',
  );
  expect(await inTheirs("get", "secrets", "-l", "owner=helm", "-o", "name")).toBe("");
  expect((await addons("adopt", "reloader", "--yes")).stderr).toContain("ADDON_NOT_ADOPTABLE");

  // A pod that finds no node never gets healthy.
  const stuck = reloaderDeployment.replace(
    "      containers:",
    "      nodeSelector: {nowhere: here}\n      containers:",
  );
  await charts.publish("2.1.0", { "templates/deployment.yaml": stuck });
  const dropped = {
    "templates/extra.yaml": "",
    "templates/deployment.yaml": reloaderDeployment.replace("v1.2.0", "v1.3.0"),
  };
  await charts.publish("2.2.0", dropped);
  const sick = await addons("upgrade", "reloader", "--to", "reloader=2.1.0", "--healthy-within", "5s", "--yes");
  expect(sick.stderr).toContain("CLI_ADDON_UNHEALTHY");
  expect(sick.stderr).toMatch(
    /deployments\.apps theirs\/reloader: 0 of 1 pods are ready: pod reloader-.* isn't scheduled: /,
  );
  const plan = await addons("upgrade", "reloader", "--to", "reloader=2.2.0", "--dry-run");
  expect(plan.stdout).toMatch(/1 +reloader +reloader +2\.1\.0 +2\.2\.0 .* argocd/);
  expect(plan.stdout).toMatch(/nodeSelector.* → \(nothing\)/);
  expect(plan.stdout).toContain("  removed configmaps theirs/old\n");
  const upgraded = await addons("upgrade", "reloader", "--to", "reloader=2.2.0", "--yes");
  expect(upgraded.stdout).toMatch(/^east: succeeded /m);
  expect(await applications(".spec.source.targetRevision")).toBe("2.2.0");
  expect(await inTheirs("get", "configmaps", "-o", "name")).not.toContain("old");
  const image = await inTheirs(
    "get",
    "deployment/reloader",
    "-o",
    "jsonpath={.spec.template.spec.containers[0].image}",
  );
  expect(image).toBe("mirror.invalid/stakater/reloader:v1.3.0");
});

interface Shown {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status: Readonly<Record<string, unknown>>;
}

const patient = { timeoutMs: 45_000 };

async function waitForVerdict(name: string, verdict: string): Promise<Shown> {
  let seen: Shown | undefined;
  const isThere = await waitUntil(async () => {
    seen = await readShown("checks.fairlead.dev", name);
    return seen?.status["verdict"] === verdict;
  }, patient);
  if (!isThere || !seen) throw new Error(`${name} isn't ${verdict}: ${JSON.stringify(seen)}`);
  return seen;
}

/** What `fairlead get` shows, without its start: it is asked again and again. */
async function readShown(kind: string, name: string): Promise<Shown | undefined> {
  const query = new URLSearchParams({ kind, name, cluster: "east", include: "object" });
  const { status, json } = await requestHub(fleet.hub, `/api/v1/objects?${query}`);
  return status === 200 ? (json() as { items: readonly { object: Shown }[] }).items[0]?.object : undefined;
}

async function prefer(gateway: string, key: string, flags: readonly string[] = []) {
  const args = ["gateway", "prefer", key, `istio/istio-system/${gateway}`, "--cluster", "east", ...flags];
  return await fleet.hub.cli(args, { allowFailure: true });
}

async function annotationsOf(gateway: string): Promise<Readonly<Record<string, string>>> {
  const { stdout } = await cluster.kubectl([...ofGateways, "get", istioGateways, gateway, "-o", "json"]);
  const { metadata } = JSON.parse(stdout) as { metadata: { annotations?: Record<string, string> } };
  return metadata.annotations ?? {};
}

const istioGateways = "gateways.networking.istio.io";
const ofGateways = ["-n", "istio-system"];

function istioGateway(name: string, { host, port }: { readonly host: string; readonly port: number }): object {
  const servers = [
    { port: { number: port, name: "https", protocol: "HTTPS" }, hosts: [host], tls: { mode: "SIMPLE" } },
  ];
  const metadata = { name, namespace: "istio-system" };
  return {
    apiVersion: "networking.istio.io/v1",
    kind: "Gateway",
    metadata,
    spec: { selector: { app: name }, servers },
  };
}

async function patchServer(container: object): Promise<void> {
  const patch = { spec: { template: { spec: { containers: [{ name: "argocd-server", ...container }] } } } };
  await cluster.kubectl(["-n", "argocd", "patch", "deployment", "argocd-server", "-p", JSON.stringify(patch)]);
}

function namespacesFrom(name: string): object {
  const configMapKeyRef = { name, key: "application.namespaces", optional: true };
  return { name: "ARGOCD_APPLICATION_NAMESPACES", valueFrom: { configMapKeyRef } };
}

async function apply(object: object): Promise<void> {
  await cluster.kubectl(["apply", "--server-side", "-f", "-"], { input: JSON.stringify(object) });
}

function definition(plural: string, kind: string): object {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: {
      name: `${plural}.fairlead.dev`,
      annotations: { "api-approved.kubernetes.io": "unapproved" },
    },
    spec: {
      group: "fairlead.dev",
      scope: "Cluster",
      names: { plural, singular: kind.toLowerCase(), kind },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
