// Helm and OpenTofu through the door: what a plan's rules and the sight of Secrets leave to them.
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { createNamespace, ensureTools, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdmittedRun, type Door, isReleaseSecret, openDoor } from "./index.ts";

const undo = new AsyncDisposableStack();
let kube: KubeClient;
let team: TestNamespace;
let door: Door;
let folder: string;
let helm: string;
let tofu: string;

beforeAll(async () => {
  const [cluster, tools] = await Promise.all([sharedCluster(), ensureTools(["helm", "tofu"])]);
  ({ helm, tofu } = tools);
  team = undo.use(await createNamespace(cluster, "team"));
  kube = undo.use(createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) }));
  door = undo.use(await openDoor());
  folder = await mkdtemp(join(tmpdir(), "fairlead-door-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await makeSecret("foreign");
});
afterAll(() => undo.disposeAsync());

test("Helm installs, upgrades and lists its release, and sees no Secret of others", async () => {
  const chart = await writeChart("web", {
    "config.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: '{{ .Values.a }}'}}",
    "secret.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: web}, stringData: {a: '{{ .Values.a }}'}}",
  });
  const own = isReleaseSecret({ namespace: team.name, name: "web" });
  const isOwn = (namespace: string, name: string): boolean => own(namespace, name) || name === "web";
  const apply = { phase: "apply", secrets: { names: [], isOwn } } as const;
  await runHelm(apply, "upgrade", "--install", "web", chart, "--set", "a=1", "--wait");
  await runHelm(apply, "upgrade", "--install", "web", chart, "--set", "a=2", "--wait");
  expect(await runHelm(apply, "history", "web")).toContain("superseded");
  expect(await read("configmaps/web")).toContain('"a":"2"');
  const other = { phase: "apply", secrets: { names: [] } } as const;
  expect(JSON.parse(await runHelm(other, "list", "--output", "json"))).toEqual([]);
  const peeking = await writeChart("peek", {
    "peek.yaml": `{apiVersion: v1, kind: ConfigMap, metadata: {name: peek}, data: {all: '{{ (lookup "v1" "Secret" .Release.Namespace "").items | toJson }}'}}`,
  });
  await runHelm(
    { phase: "apply", secrets: { names: [], isOwn: isReleaseSecret({ namespace: team.name, name: "peek" }) } },
    "install",
    "peek",
    peeking,
  );
  expect(await read("configmaps/peek")).toContain('"all":"[');
  expect(await read("configmaps/peek")).not.toContain("foreign");
});

test("a dry run of Helm passes as a plan, and its installation doesn't", async () => {
  const chart = await writeChart("dry", {
    "config.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: dry}, data: {a: b}}",
  });
  const plan = {
    phase: "plan",
    secrets: { names: [], isOwn: isReleaseSecret({ namespace: team.name, name: "dry" }) },
  } as const;
  expect(await runHelm(plan, "upgrade", "--install", "dry", chart, "--dry-run=server")).toContain("name: dry");
  await expect(runHelm(plan, "upgrade", "--install", "dry", chart)).rejects.toThrow(/A plan can only read/);
  await expect(read("configmaps/dry")).rejects.toMatchObject({ code: "KUBE_NOT_FOUND" });
});

test("for a proposal a chart's lookup finds no Secret", async () => {
  const chart = await writeChart("look", {
    "look.yaml": `{apiVersion: v1, kind: ConfigMap, metadata: {name: look}, data: {found: '{{ lookup "v1" "Secret" .Release.Namespace "foreign" | toJson }}'}}`,
  });
  const rules = { names: [], isOwn: isReleaseSecret({ namespace: team.name, name: "look" }) };
  const args = ["upgrade", "--install", "look", chart, "--dry-run=server"];
  expect(await runHelm({ phase: "plan", secrets: { ...rules, isProposal: true } }, ...args)).toContain("found: '{}'");
  await expect(runHelm({ phase: "plan", secrets: rules }, ...args)).rejects.toThrow(/doesn't name the Secret/);
});

test("OpenTofu plans with its lock and applies with its state, and sees no other state", async () => {
  const source = join(folder, "tofu");
  await mkdir(source);
  const backend = `backend "kubernetes" {\n secret_suffix = "site"\n namespace = "${team.name}"\n }`;
  await writeFile(join(source, "main.tf"), `terraform {\n ${backend}\n}\noutput "a" {\n value = "b"\n}\n`);
  const isOwn = (namespace: string, name: string): boolean =>
    namespace === team.name && name === "tfstate-default-site";
  const keeps = [
    { apiGroup: "coordination.k8s.io", resource: "leases", namespace: team.name, name: "lock-tfstate-default-site" },
  ];
  const plan = { phase: "plan", secrets: { names: [], isOwn }, keeps } as const;
  await runTofu({ ...plan, phase: "apply" }, source, "init");
  await runTofu(plan, source, "plan", "-out=planned");
  await expect(runTofu({ ...plan, keeps: [] }, source, "plan")).rejects.toThrow(/A plan can only read/);
  await expect(runTofu(plan, source, "apply", "planned")).rejects.toThrow(/A plan can only read/);
  await runTofu({ ...plan, phase: "apply" }, source, "apply", "-auto-approve");
  expect(await runTofu(plan, source, "output", "-raw", "a")).toBe("b");
  await expect(runTofu({ phase: "apply", secrets: { names: [] } }, source, "output")).rejects.toThrow(
    /doesn't name the Secret/,
  );
});

async function runHelm(run: Partial<AdmittedRun>, ...args: readonly string[]): Promise<string> {
  return await runProgram(run, helm, ["--namespace", team.name, ...args], folder);
}

async function runTofu(run: Partial<AdmittedRun>, source: string, ...args: readonly string[]): Promise<string> {
  return await runProgram(run, tofu, args, source);
}

async function runProgram(
  run: Partial<AdmittedRun>,
  program: string,
  args: readonly string[],
  cwd: string,
): Promise<string> {
  await using admitted = door.admit({ kube, conceal: () => undefined, userAgent: "test", ...run });
  const kubeconfig = join(folder, "kubeconfig");
  await writeFile(kubeconfig, admitted.kubeconfig(team.name));
  const env = {
    ...process.env,
    HOME: folder,
    KUBECONFIG: kubeconfig,
    KUBE_CONFIG_PATH: kubeconfig,
    TF_INPUT: "0",
    TF_CLI_CONFIG_FILE: "/dev/null",
  };
  try {
    return (await promisify(execFile)(program, args, { cwd, env })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    // OpenTofu breaks its lines to fit.
    throw new Error(`${stdout}${stderr}`.replace(/\s*[│╷╵]?\s+/g, " "), { cause: error });
  }
}

async function writeChart(name: string, templates: Readonly<Record<string, string>>): Promise<string> {
  const chart = join(folder, name);
  await mkdir(join(chart, "templates"), { recursive: true });
  await writeFile(join(chart, "Chart.yaml"), `{apiVersion: v2, name: ${name}, version: 1.0.0}`);
  for (const [file, text] of Object.entries(templates)) await writeFile(join(chart, "templates", file), text);
  return chart;
}

async function makeSecret(name: string): Promise<void> {
  const body = { metadata: { name }, stringData: { text: "canary" } };
  await kube.request({ method: "POST", path: `/api/v1/namespaces/${team.name}/secrets`, body });
}

async function read(path: string): Promise<string> {
  return JSON.stringify(await kube.request({ path: `/api/v1/namespaces/${team.name}/${path}` }));
}
