// Whether a cluster is fit, as a person learns it from the hub while things in the cluster change.
import { waitUntil } from "@fairlead/kernel/testing";
import { applyStandIns, startCluster, type TestCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let cluster: TestCluster;
let fleet: Fleet;
beforeAll(async () => {
  cluster = await startCluster({ name: "fitness" });
  fleet = await startFleet({ cluster, roles: ["proxy", "observe"] });
  await applyStandIns(cluster.api, ["argocd/upstream"]);
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await cluster?.[Symbol.asyncDispose]();
});

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
  expect(unfit.stdout).toMatch(/^argocd +\S+/m);
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
  await waitUntil(
    async () => (await cluster.kubectl(["get", "addons.fairlead.dev"], { allowFailure: true })).code === 0,
    patient,
  );
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
  expect(things.stderr).toContain("OBJECTS_KIND_UNKNOWN");
});

test("features and gateways are shown for each cluster", async () => {
  const { stdout } = await fleet.hub.cli(["features", "--cluster", "east"]);
  expect(stdout).toMatch(/^deploy +blocked .*argocd\.application-namespaces: /m);
  expect((await fleet.hub.cli(["features"])).stdout).toMatch(/^deploy +blocked$/m);
  const matrix = await requestHub(fleet.hub, "/api/v1/fitness");
  expect(matrix.json()).toMatchObject({ items: [{ cluster: "east", age: {}, found: { fitness: "unfit" } }] });
  expect((await fleet.hub.cli(["gateways", "list", "--json"])).stdout).toContain('"gateways"');
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
    expect(await prefer(winner, `${host}:${port}`)).toMatchObject({ code: 0, stderr: "" });
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

async function readShown(kind: string, name: string): Promise<Shown | undefined> {
  const args = ["get", kind, name, "--cluster", "east", "-o", "json"];
  const { code, stdout } = await fleet.hub.cli(args, { allowFailure: true });
  return code === 0 ? (JSON.parse(stdout) as Shown) : undefined;
}

async function prefer(gateway: string, key: string) {
  const args = ["gateways", "prefer", key, `istio/istio-system/${gateway}`, "--cluster", "east"];
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
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
    metadata: {
      name: `${plural}.fairlead.dev`,
      annotations: { "api-approved.kubernetes.io": "unapproved" },
    },
    spec: {
      ...{ group: "fairlead.dev", scope: "Cluster", names: { plural, singular: kind.toLowerCase(), kind } },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
