// Somebody changes something after people have approved a plan: what was approved is what runs, or nothing is.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FairleadError } from "@fairlead/kernel";
import { until } from "@fairlead/kernel/testing";
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { type GitHttp, openTestRepository, startGitHttp, type TestRepository } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type CommandSource, policyDenied } from "../policy/index.ts";
import { judgeCommand } from "../policy/judge-command.ts";
import { judgeSource } from "../policy/judge-source.ts";
import { openPolicyRules, type Policy, policySchema } from "../policy/schema.ts";
import { archiveOf, chartFile } from "./helm/chart/archive/tar.fixture.ts";
import { type Place, startPlace } from "./helm/chart/web.fixture.ts";
import { chart, configMap, type Harness, openHarness } from "./helm/harness.fixture.ts";
import { planManifests } from "./manifests/plan.ts";
import { runManifests } from "./manifests/run.ts";
import { createManifestsTask } from "./manifests/task.fixture.ts";
import { policeKube } from "./policed-kube.ts";
import { loopbackPolicy } from "./task.fixture.ts";
import { openTofuHarness, type TofuHarness } from "./tofu/harness.fixture.ts";
import { planTofu } from "./tofu/plan.ts";
import { runTofu } from "./tofu/run.ts";

const undo = new AsyncDisposableStack();
let harness: Harness;
let tofu: TofuHarness;
let place: Place;
let http: GitHttp;
let repository: TestRepository;
let count = 0;

beforeAll(async () => {
  const root = await mkdtemp(join(tmpdir(), "fairlead-approved-"));
  undo.defer(() => rm(root, { recursive: true, force: true }));
  harness = undo.use(await openHarness());
  tofu = undo.use(await openTofuHarness());
  place = undo.use(await startPlace());
  http = undo.use(await startGitHttp({ root }));
  repository = await openTestRepository(root, "it.git");
});
afterAll(() => undo.disposeAsync());

/** What is there when the plan is made, and is changed afterwards. */
interface World {
  readonly name: string;
  kube: KubeClient;
  policy: Policy;
  /** Leaves nothing of the first one. */
  say(text: string): Promise<void>;
}

type Change = (world: World) => Promise<void>;

const approved = "approved";
const changed = "changed";
const stale = "COMMAND_PLAN_STALE";

const charts = {
  git: () => ({ git: { url: http.url("it.git"), ref: "main" }, path: "web" }),
  repository: () => ({ repository: place.url, name: "web", version: "1.2.3" }),
};

test.each<readonly [string, (world: World) => object, Change, string]>([
  ["pushes to the branch of the chart", () => ({ chart: charts.git() }), say, approved],
  [
    "changes a file of values in git",
    () => ({ chart: charts.git(), valuesFiles: ["values.prod.yaml"] }),
    say,
    approved,
  ],
  ["publishes another chart as the same version", () => ({ chart: charts.repository() }), say, approved],
  ["takes the chart away", () => ({ chart: charts.repository() }), takeAway, approved],
  [
    "changes a ConfigMap with values",
    ({ name }) => withValues({ configMap: `${harness.namespace}/${name}` }),
    say,
    approved,
  ],
  ["changes a Secret with values", ({ name }) => withValues({ secret: `${harness.namespace}/${name}` }), say, approved],
  ["forbids the repository", () => ({ chart: charts.repository() }), forbidCharts, "POLICY_DENIED"],
  ["forbids what the chart makes", () => ({ chart: charts.repository() }), forbidMaps, stale],
  ["takes the account's rights", () => ({ chart: charts.repository() }), takeRights, "KUBE_FORBIDDEN"],
  ["makes one of its objects", () => ({ chart: charts.repository() }), makeMap, stale],
  ["installs the release", () => ({ chart: charts.repository() }), install, stale],
])("helm: somebody %s", async (_, toSpec, change, expected) => {
  const world = await open();
  const spec = { release: world.name, wait: false, values: { name: world.name }, ...toSpec(world) };
  const as = () => ({ kube: policed(world), mayUse: mayUse(world) });
  const plan = await harness.plan(spec, as());
  await change(world);
  const before = await mapOf(world);
  const running = harness.run(spec, { ...as(), ...plan.approval });
  await expectEnd({ world, before, running: running.then(({ failure }) => failure), expected });
});

test("helm: an approval is for no other spec", async () => {
  const world = await open();
  const spec = { release: world.name, wait: false, values: { name: world.name }, chart: charts.repository() };
  const { approval } = await harness.plan(spec);
  for (const other of [{ values: { name: world.name, text: "x" } }, { atomic: true }, { forceConflicts: true }])
    await expect(harness.run({ ...spec, ...other }, approval)).rejects.toMatchObject({ code: stale });
  expect(await mapOf(world)).toBeUndefined();
});

test.each<readonly [string, (world: World) => object, Change, string]>([
  [
    "pushes to the branch",
    () => ({ source: { git: { url: http.url("it.git"), ref: "main" }, path: "tofu" } }),
    say,
    approved,
  ],
  ["changes a module at its address", () => ({ source: { files: { "main.tf": withModule() } } }), say, approved],
  ["changes a ConfigMap with variables", ({ name }) => withVariable("configmap", name), say, approved],
  ["changes a Secret with variables", ({ name }) => withVariable("secret", name), say, approved],
  ["forbids the modules", () => ({ source: { files: { "main.tf": withModule() } } }), forbidModules, "POLICY_DENIED"],
  [
    "forbids programs",
    () => ({ source: { files: { "main.tf": withProgram } } }),
    forbidPrograms,
    "TOFU_PROGRAM_REFUSED",
  ],
  [
    "forbids programs, and takes them out of the module",
    () => ({ source: { files: { "main.tf": withModule("p") } } }),
    async (world) => {
      await say(world);
      await forbidPrograms(world);
    },
    "TOFU_PROGRAM_REFUSED",
  ],
  [
    "takes the account's rights",
    () => ({ source: { files: { "main.tf": 'output "text" { value = "approved" }' } } }),
    takeRights,
    "KUBE_FORBIDDEN",
  ],
  ["applies something else", ({ name }) => withVariable("configmap", name), applyOther, stale],
])("tofu: somebody %s", async (_, toSpec, change, expected) => {
  const world = await open();
  const outputs = { secret: `outputs-${world.name}` };
  const spec = { name: world.name, outputs, ...toSpec(world) };
  const as = () => ({ spec, kube: policed(world), policy: world.policy, mayUse: mayUse(world) });
  const planning = tofu.task({ ...as() });
  const { digest } = await planTofu(planning);
  await change(world);
  const task = tofu.task({ ...as(), epoch: 2, record: planning.record.json, approvedDigest: digest });
  const ended = await runTofu(task).then(
    async () => (await tofu.read(outputs.secret))["text"],
    (error: FairleadError) => error.code,
  );
  expect(ended).toBe(expected);
});

test.each<readonly [string, (world: World) => object, Change, string]>([
  [
    "changes a ConfigMap that it refers to",
    ({ name }) => ({ text: `\${configmap:${harness.namespace}/${name}/text}` }),
    say,
    stale,
  ],
  [
    "changes a Secret that it refers to",
    ({ name }) => ({ text: `\${secret:${harness.namespace}/${name}/text}` }),
    say,
    stale,
  ],
  ["makes its object", () => ({ text: approved }), makeMap, stale],
  ["forbids its kind", () => ({ text: approved }), forbidMaps, "POLICY_DENIED"],
  ["takes the account's rights", () => ({ text: approved }), takeRights, stale],
  [
    "changes nothing of it",
    ({ name }) => ({ text: `\${secret:${harness.namespace}/${name}/text}` }),
    async () => {},
    approved,
  ],
])("manifests: somebody %s", async (_, toData, change, expected) => {
  const world = await open();
  const manifests = JSON.stringify(configMap(`map-${world.name}`, toData(world)));
  const spec = { set: world.name, namespace: harness.namespace, manifests };
  const planning = createManifestsTask({ kube: policed(world), secrets: undefined, spec });
  const { digest: approvedDigest } = await planManifests(planning);
  await change(world);
  const before = await mapOf(world);
  const task = createManifestsTask({
    kube: policed(world),
    secrets: undefined,
    spec,
    approvedDigest,
    record: planning.record.json,
  });
  await expectEnd({ world, before, running: runManifests(task).then(({ failure }) => failure), expected });
});

/** Either the map is as it was planned, or it is as it was before the run. */
async function expectEnd(options: {
  readonly world: World;
  readonly before: unknown;
  readonly running: Promise<FairleadError | undefined>;
  readonly expected: string;
}): Promise<void> {
  const { world, before, running, expected } = options;
  const failure = await running.catch((error: FairleadError) => error);
  expect(failure?.code ?? approved).toBe(expected);
  expect(await mapOf(world)).toEqual(expected === approved ? { text: approved } : before);
}

async function open(): Promise<World> {
  const name = `r${count++}`;
  const account = await makeAccount(name);
  const world: World = {
    name,
    kube: account,
    policy: loopbackPolicy,
    say: (text) => tellAll(name, text),
  };
  await world.say(approved);
  return world;
}

/** In each place from which a command may take it. */
async function tellAll(name: string, text: string): Promise<void> {
  const made = JSON.stringify(
    configMap("map-{{ .Values.name }}", { text: `{{ .Values.text | default \`${text}\` }}` }),
  );
  const { files } = chart({ "a.json": made });
  const inFolder = Object.fromEntries(Object.entries(files).map(([path, content]) => [`web/${path}`, String(content)]));
  const output = `output "text" { value = "${text}" }`;
  await repository.commit({ files: { ...inFolder, "values.prod.yaml": `text: ${text}\n`, "tofu/main.tf": output } });
  const entry = { apiVersion: "v2", name: "web", version: "1.2.3", urls: ["web-1.2.3.tgz"] };
  const index = JSON.stringify({ apiVersion: "v1", entries: { web: [entry] } });
  const archive = archiveOf([chartFile, { name: "web/templates/a.json", body: made }]);
  const module = archiveOf([{ name: "main.tf", body: output }]);
  const programs = archiveOf([{ name: "main.tf", body: text === approved ? `${output}\n${withProgram}` : output }]);
  const bodies = new Map<string, string | Buffer>([
    ["/index.yaml", index],
    ["/m.tgz", module],
    ["/p.tgz", programs],
  ]);
  place.answer = (path) => ({ body: bodies.get(path) ?? archive });
  const values = { text, "values.yaml": `text: ${text}`, "variables.json": JSON.stringify({ text }) };
  for (const one of [harness, tofu])
    for (const [kind, data] of [
      ["configmaps", { data: values }],
      ["secrets", { stringData: values }],
    ] as const) {
      const there = await one.get(`${kind}/${name}`).catch(() => undefined);
      if (there) await one.send("PATCH", `${kind}/${name}`, data);
      else await one.send("POST", kind, { metadata: { name }, ...data });
    }
}

async function say({ say: tell }: World): Promise<void> {
  await tell(changed);
}

async function takeAway(): Promise<void> {
  place.answer = () => ({ status: 404 });
}

async function forbidCharts(world: World): Promise<void> {
  world.policy = policySchema.parse({ execute: { charts: { repositories: { allow: ["inline"] } } } });
}

async function forbidModules(world: World): Promise<void> {
  const { execute } = loopbackPolicy;
  world.policy = policySchema.parse({ execute: { ...execute, tofu: { modules: { allow: ["none.example.com/*"] } } } });
}

async function forbidPrograms(world: World): Promise<void> {
  world.policy = policySchema.parse({ execute: { network: loopbackPolicy.execute?.network } });
}

async function forbidMaps(world: World): Promise<void> {
  world.policy = policySchema.parse({ ...openPolicyRules, resources: { deny: ["core/configmaps"] } });
}

async function makeMap({ name }: World): Promise<void> {
  await harness.send("POST", "configmaps", configMap(`map-${name}`, { text: "somebody's" }));
}

async function install({ name }: World): Promise<void> {
  const other = chart({ "a.json": configMap(`other-${name}`) });
  await harness.run({ release: name, wait: false, chart: other }, { id: "cmd_other" });
}

async function applyOther({ name }: World): Promise<void> {
  const files = { "main.tf": 'output "text" { value = "other" }' };
  await runTofu(tofu.task({ id: "cmd_other", spec: { name, source: { files } } }));
}

async function takeRights({ name, kube }: World): Promise<void> {
  for (const one of [harness, tofu]) {
    const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${one.namespace}/rolebindings/${name}`;
    await one.kube.request({ method: "DELETE", path });
    const isGone = () =>
      kube.request({ path: `/api/v1/namespaces/${one.namespace}/configmaps` }).then(
        () => false,
        () => true,
      );
    await until(isGone, "the rights are gone");
    const left = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
    await bind(one, { name: `${name}-left`, role: left });
  }
}

/** It has all rights in the two namespaces. */
async function makeAccount(name: string): Promise<KubeClient> {
  await harness.send("POST", "serviceaccounts", { metadata: { name } });
  const role = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };
  for (const one of [harness, tofu]) await bind(one, { name, account: name, role });
  const path = await harness.cluster.kubeconfigForServiceAccount({ namespace: harness.namespace, name });
  return undo.use(createKubeClient({ access: await loadKubeconfig({ path }) }));
}

async function bind(
  one: Pick<Harness, "kube" | "namespace">,
  { name, account = name.replace(/-left$/, ""), role }: { name: string; account?: string; role: object },
): Promise<void> {
  await one.kube.request({
    method: "POST",
    path: `/apis/rbac.authorization.k8s.io/v1/namespaces/${one.namespace}/rolebindings`,
    body: {
      metadata: { name },
      roleRef: role,
      subjects: [{ kind: "ServiceAccount", name: account, namespace: harness.namespace }],
    },
  });
}

function policed({ kube, policy }: World): KubeClient {
  return policeKube({
    client: kube,
    requester: "test",
    ownNamespace: undefined,
    check: () => undefined,
    policy: { judgeCommand: (request) => judgeCommand(policy, request) },
  });
}

function mayUse(world: World): (source: CommandSource) => void {
  return (source) => {
    const verdict = judgeSource(world.policy, source);
    if (!verdict.allowed) throw policyDenied(verdict);
  };
}

async function mapOf({ name }: World): Promise<unknown> {
  return await harness.get(`configmaps/map-${name}`).then(
    (found) => found["data"],
    () => undefined,
  );
}

function withValues(from: object): object {
  return { chart: charts.repository(), valuesFrom: [from] };
}

function withModule(name = "m"): string {
  return `module "x" { source = "${place.url}/${name}.tgz" }\noutput "text" { value = module.x.text }`;
}

const withProgram = `resource "terraform_data" "x" {
  provisioner "local-exec" { command = "true" }
}`;

function withVariable(kind: string, name: string): object {
  const main = 'variable "text" {}\noutput "text" { value = nonsensitive(var.text) }';
  return {
    source: { files: { "main.tf": main } },
    variablesFrom: [`\${${kind}:${tofu.namespace}/${name}/variables.json}`],
  };
}
