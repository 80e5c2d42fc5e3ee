// Whoever may only propose has no code of theirs run, and no Secret read or sent, before somebody who may create has approved
// that. From end to end: somebody proposes, somebody else lets it be planned, a third approves the plan, and the agent carries
// out that plan.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CommandDetail } from "@fairlead/contract";
import { ensureTools, startGitHttp } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { createRobot } from "../fleet/robots.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const undo = new AsyncDisposableStack();
let fleet: Fleet;
let proposer: string;
let planner: string;
let approver: string;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-proposals-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const { helm, tofu } = await ensureTools(["helm", "tofu"]);
  const agentEnv = { PATH: [dirname(helm), dirname(tofu), process.env["PATH"]].join(":") };
  fleet = undo.use(await startFleet({ roles: ["proxy", "execute"], agentEnv }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const inNamespace = ["--namespace", fleet.namespace.name];
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, ...inNamespace]);
  proposer = await robotWith("propose");
  planner = await robotWith("create");
  approver = await robotWith("approve");
});
afterAll(() => undo.disposeAsync());

test("four lines of a configuration run no program in a dry run, and are refused once planning is approved", async () => {
  const command = JSON.stringify(["sh", "-c", `touch ${join(folder, "was-run")}`]);
  const main = [
    "terraform {\n  encryption {",
    `key_provider "external" "x" { command = ${command} }`,
    'method "aes_gcm" "m" { keys = key_provider.external.x }',
    "state { method = method.aes_gcm.m }\n  }\n}\n",
  ].join("\n");
  const spec = { name: "four", namespace: fleet.namespace.name, source: { files: { "main.tf": main } } };
  const id = await propose("tofu", spec, { dryRun: true });
  await expect.poll(() => stateOf(id)).toBe("awaiting-plan-approval");
  expect(await readdir(folder)).toEqual([]);
  expect((await post(`/api/v1/commands/${id}/approve-plan`, {}, planner)).status).toBe(200);
  await expect.poll(() => stateOf(id)).toBe("failed");
  expect((await show(id)).trouble).toMatchObject({ code: "TOFU_SOURCE_REFUSED" });
  expect(await readdir(folder)).toEqual([]);
});

test("a Secret goes to no git server of the proposer's, neither before planning is approved nor after", async () => {
  const { name: namespace } = fleet.namespace;
  const named = ["create", "secret", "generic", "database", "--from-literal=password=canary-password"];
  await fleet.cluster.kubectl([...named, "-n", namespace]);
  await using server = await startGitHttp({ root: folder });
  const credentials = { password: `\${secret:${namespace}/database/password}` };
  const source = { git: { url: server.url("mine.git"), ref: "main", credentials } };
  const id = await propose("tofu", { name: "sent", namespace, source }, { dryRun: true });
  await expect.poll(() => stateOf(id)).toBe("awaiting-plan-approval");
  expect(server.seen).toEqual([]);
  expect((await post(`/api/v1/commands/${id}/approve-plan`, {}, planner)).status).toBe(200);
  await expect.poll(() => stateOf(id)).toBe("failed");
  expect((await show(id)).trouble).toMatchObject({ code: "SECRET_HOST_NOT_ALLOWED" });
  expect(server.seen).toEqual([]);
});

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
  await expect.poll(() => stateOf(id)).toBe("awaiting-plan-approval");
  expect((await show(id)).proposal).toMatchObject({ held: { code: "COMMAND_PLAN_APPROVAL_NEEDED" } });
  for (const nobody of [proposer, approver])
    expect((await post(`/api/v1/commands/${id}/approve-plan`, {}, nobody)).status).toBe(403);
  expect((await post(`/api/v1/commands/${id}/approve-plan`, {}, planner)).status).toBe(200);
  await expect.poll(() => stateOf(id)).toBe("awaiting-approval");
  const { digest, plan } = await planOf(id);
  const { hooks } = plan as { readonly hooks: readonly { readonly object: { readonly data: object } }[] };
  await expect(read("proposed")).rejects.toThrow(/NotFound/);
  expect((await post(`/api/v1/commands/${id}/approve`, { digest }, approver)).status).toBe(200);
  await expect.poll(() => stateOf(id)).toBe("succeeded");
  expect((await read("hooked")).data).toEqual(hooks[0]?.object.data);
  expect((await read("proposed")).data["random"]).toMatch(/^\w{24}$/);
});

test("a proposed set is planned at once without Secrets, and applied with them", async () => {
  const { name: namespace } = fleet.namespace;
  await fleet.cluster.kubectl(["create", "secret", "generic", "vault", "--from-literal=pass=canary", "-n", namespace]);
  const data = { pass: `\${secret:${namespace}/vault/pass}` };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "filled" }, data };
  const id = await propose("manifests", { set: "filled", namespace, manifests: JSON.stringify(object) });
  await expect.poll(() => stateOf(id)).toBe("awaiting-approval");
  const { digest, plan } = await planOf(id);
  expect(plan).toMatchObject({ secretsHidden: true, objects: [{ name: "filled", did: "created" }] });
  expect((await post(`/api/v1/commands/${id}/approve`, { digest }, approver)).status).toBe(200);
  await expect.poll(() => stateOf(id)).toBe("succeeded");
  expect((await read("filled")).data).toEqual({ pass: "canary" });
});

async function robotWith(verb: string): Promise<string> {
  const hubRules = [{ verbs: [verb, "get", "list"], resources: ["commands/*"] }];
  const body = JSON.stringify({ hubRules, clusterRules: [], groups: [] });
  const made = await requestHub(fleet.hub, `/api/v1/roles/only-${verb}`, { method: "PUT", body });
  expect(made.status).toBeLessThan(300);
  return `Bearer ${(await createRobot(fleet.hub, { role: `only-${verb}` })).token}`;
}

async function propose(kind: string, spec: object, how: object = { approvals: {} }): Promise<string> {
  const answer = await post("/api/v1/commands", { cluster: "east", kind, spec, ...how }, proposer);
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
