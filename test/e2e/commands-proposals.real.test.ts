// Proposals from end to end: somebody may only propose, somebody else lets it be planned, a third approves the plan, and
// the agent carries out that plan.
import { dirname } from "node:path";
import type { CommandDetail } from "@fairlead/contract";
import { ensureTools } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot } from "../fleet/robots.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let fleet: Fleet;
let proposer: string;
let planner: string;
let approver: string;

beforeAll(async () => {
  const { helm } = await ensureTools(["helm"]);
  const agentEnv = { PATH: `${dirname(helm)}:${process.env["PATH"]}` };
  fleet = undo.use(await startFleet({ roles: ["proxy", "execute"], agentEnv }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const inNamespace = ["--namespace", fleet.namespace.name];
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, ...inNamespace]);
  proposer = await robotWith("propose");
  planner = await robotWith("create");
  approver = await robotWith("approve");
});
afterAll(() => undo.disposeAsync());

test("a chart that somebody proposes is rendered when that was approved, once, and what was rendered is installed", async () => {
  const template = [
    "apiVersion: v1",
    "kind: ConfigMap",
    "metadata: {name: proposed}",
    "data: {random: {{ randAlphaNum 24 }}}",
    "---",
    "apiVersion: v1",
    "kind: ConfigMap",
    'metadata: {name: hooked, annotations: {"helm.sh/hook": pre-install}}',
    "data: {random: {{ randAlphaNum 24 }}}",
  ].join("\n");
  const files = { "Chart.yaml": "apiVersion: v2\nname: proposed\nversion: 1.0.0\n", "templates/all.yaml": template };
  const spec = { release: "proposed", namespace: fleet.namespace.name, chart: { files }, wait: false };
  const id = await propose("helm", spec);
  await expect.poll(() => stateOf(id), { timeout: 60_000 }).toBe("awaiting-plan-approval");
  expect((await show(id)).proposal).toMatchObject({ held: { code: "COMMAND_PLAN_APPROVAL_NEEDED" } });
  for (const nobody of [proposer, approver])
    expect((await post(`/api/v1/commands/${id}/approve-plan`, {}, nobody)).status).toBe(403);
  expect((await post(`/api/v1/commands/${id}/approve-plan`, {}, planner)).status).toBe(200);
  await expect.poll(() => stateOf(id), { timeout: 60_000 }).toBe("awaiting-approval");
  const { digest, plan } = await planOf(id);
  const { hooks } = plan as { readonly hooks: readonly { readonly object: { readonly data: object } }[] };
  await expect(read("proposed")).rejects.toThrow(/NotFound/);
  expect((await post(`/api/v1/commands/${id}/approve`, { digest }, approver)).status).toBe(200);
  await expect.poll(() => stateOf(id), { timeout: 60_000 }).toBe("succeeded");
  expect((await read("hooked")).data).toEqual(hooks[0]?.object.data);
  expect((await read("proposed")).data["random"]).toMatch(/^\w{24}$/);
});

test("a proposed set is planned at once without Secrets, and applied with them", async () => {
  const { name: namespace } = fleet.namespace;
  await fleet.cluster.kubectl(["create", "secret", "generic", "vault", "--from-literal=pass=canary", "-n", namespace]);
  const data = { pass: `\${secret:${namespace}/vault/pass}` };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "filled" }, data };
  const id = await propose("manifests", { set: "filled", namespace, manifests: JSON.stringify(object) });
  await expect.poll(() => stateOf(id), { timeout: 60_000 }).toBe("awaiting-approval");
  const { digest, plan } = await planOf(id);
  expect(plan).toMatchObject({ secretsHidden: true, objects: [{ name: "filled", did: "created" }] });
  expect((await post(`/api/v1/commands/${id}/approve`, { digest }, approver)).status).toBe(200);
  await expect.poll(() => stateOf(id), { timeout: 60_000 }).toBe("succeeded");
  expect((await read("filled")).data).toEqual({ pass: "canary" });
});

async function robotWith(verb: string): Promise<string> {
  const hubRules = [{ verbs: [verb, "get", "list"], resources: ["commands/*"] }];
  const body = JSON.stringify({ hubRules, clusterRules: [], groups: [] });
  const made = await requestHub(fleet.hub, `/api/v1/roles/only-${verb}`, { method: "PUT", body });
  expect(made.status).toBeLessThan(300);
  return `Bearer ${(await createRobot(fleet.hub, { role: `only-${verb}` })).token}`;
}

async function propose(kind: string, spec: object): Promise<string> {
  const answer = await post("/api/v1/commands", { cluster: "east", kind, spec, approvals: {} }, proposer);
  if (answer.status >= 300) throw new Error(answer.text);
  return (answer.json() as { readonly id: string }).id;
}

function post(path: string, body: object, authorization: string) {
  return requestHub(fleet.hub, path, { method: "POST", body: JSON.stringify(body), authorization });
}

async function show(id: string): Promise<CommandDetail> {
  return (await requestHub(fleet.hub, `/api/v1/commands/${id}`)).json() as CommandDetail;
}

async function planOf(id: string): Promise<{ readonly digest: string | undefined; readonly plan: unknown }> {
  const { approval, plan } = await show(id);
  return { digest: approval?.digest, plan };
}

async function stateOf(id: string): Promise<string> {
  return (await show(id)).state;
}

async function read(name: string): Promise<{ readonly data: Readonly<Record<string, string>> }> {
  return JSON.parse((await fleet.kubectl(["get", "configmap", name, "-o", "json"])).stdout);
}
