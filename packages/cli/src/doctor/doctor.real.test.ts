// A real API server with addons as they are installed, asked by somebody who may see all of it, a part, and nothing.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  applyStandIns,
  type LeasedCluster,
  leaseCluster,
  programArgs,
  runCommand,
  uncommentFixes,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readRecipe } from "./guide/recipes.fixture.ts";

const undo = new AsyncDisposableStack();
let cluster: LeasedCluster;
let home: string;

beforeAll(async () => {
  cluster = undo.use(await leaseCluster({ name: "doctored" }));
  home = await mkdtemp(join(tmpdir(), "fairlead-doctor-"));
  undo.defer(() => rm(home, { recursive: true, force: true }));
  // Controllers would say other things of stand-ins than their addons do.
  for (const name of ["kube-controller-manager", "kube-scheduler", "kwok"] as const)
    await cluster.components[name].stop();
  await applyStandIns(cluster.api, ["kube-state-metrics/upstream", "argocd/upstream"]);
});
afterAll(() => undo.disposeAsync());

const addon = "kube-state-metrics";

interface Asked {
  readonly kubeconfig: string;
  readonly only?: string;
  readonly namespaces?: string;
}

/** In a shell's words, for a cluster of a type for which the addon is essential. */
async function doctor({ kubeconfig, only = addon, namespaces }: Asked, ...more: readonly string[]) {
  const args = ["doctor", "--kubeconfig", kubeconfig, "--type", "eks", "--only", only, ...more];
  const where = namespaces === undefined ? [] : ["--namespaces", namespaces];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const command = [...programArgs("cli"), ...args, ...where];
  const result = await runCommand(process.execPath, command, { env, allowFailure: true });
  expect(result.stderr).toBe("");
  return result;
}

async function examine(asked: Asked) {
  const { code, stdout } = await doctor(asked, "--json");
  return { code, ...(JSON.parse(stdout) as Answer) };
}

interface Answer {
  readonly fitness: string;
  readonly read: { readonly objects: number; readonly resources: readonly string[] };
  readonly addons: readonly { readonly id: string; readonly state: string; readonly version?: string }[];
  readonly hidden: readonly { readonly resource: string; readonly why: string }[];
  readonly rightsMissing: readonly object[];
}

test("who may see everything learns that the cluster is fit", async () => {
  const { code, addons, hidden, rightsMissing, read } = await examine({ kubeconfig: cluster.adminKubeconfig });
  expect(addons).toMatchObject([{ id: addon, state: "healthy", version: "2.18.0" }]);
  expect(read.resources).toContain("deployments.apps");
  expect(read.resources).not.toContain("secrets");
  expect({ code, hidden, rightsMissing }).toEqual({ code: 0, hidden: [], rightsMissing: [] });
});

test("for who may see nothing it is unknown, never absent, until the roles that are printed are applied", async () => {
  const kubeconfig = await cluster.kubeconfigForUser({ user: "nobody" });
  const { code, fitness, addons, hidden, rightsMissing } = await examine({ kubeconfig });
  expect(addons).toMatchObject([{ id: addon, state: "unknown" }]);
  expect(hidden).toContainEqual({ resource: "deployments.apps", why: "you may not list it" });
  expect({ code, fitness }).toEqual({ code: 2, fitness: "unjudged" });

  await cluster.kubectl(["apply", "--server-side", "-f", "-"], { input: rightsMissing.map(toJson).join("\n---\n") });
  undo.defer(async () => void (await cluster.kubectl(["delete", "clusterrole,clusterrolebinding", "fairlead-doctor"])));
  const again = await examine({ kubeconfig });
  expect(again).toMatchObject({ code: 0, fitness: "fit", rightsMissing: [] });
});

test("who may see one namespace finds what is there, and nothing elsewhere is called absent", async () => {
  const rules = ["deployments.apps", "statefulsets.apps", "daemonsets.apps", "pods"];
  const resources = rules.flatMap((each) => ["--resource", each]);
  await cluster.kubectl(["create", "role", "reader", "-n", "kube-system", "--verb", "list", ...resources]);
  await cluster.kubectl([
    "create",
    "rolebinding",
    "reader",
    "-n",
    "kube-system",
    "--role",
    "reader",
    "--user",
    "tenant",
  ]);
  const kubeconfig = await cluster.kubeconfigForUser({ user: "tenant" });

  const there = await examine({ kubeconfig, namespaces: "kube-system" });
  // Another one may be elsewhere, so that nobody can say that this one is all there is.
  const workloads = [{ object: `deployments.apps kube-system/${addon}` }];
  expect(there.addons).toMatchObject([{ id: addon, state: "unknown", components: [{ workloads }] }]);
  expect(there.hidden).toContainEqual({
    resource: "deployments.apps",
    why: "only these namespaces were read: kube-system",
  });
  const elsewhere = await examine({ kubeconfig, namespaces: "default" });
  expect(elsewhere).toMatchObject({ code: 2, addons: [{ id: addon, state: "unknown", components: [] }] });
});

test("a dump that stock kubectl made by the guide's recipe answers what the live cluster answers", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fairlead-recipe-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const env = { ...cluster.kubectlEnv(), PATH: `${dirname(cluster.kubectlPath)}:${process.env["PATH"]}` };
  await runCommand("sh", ["-ec", await readRecipe("From files")], { cwd: folder, env });
  const everything = await answerOf(["--kubeconfig", cluster.adminKubeconfig]);
  expect(Object.keys(everything).length).toBeGreaterThan(50);
  expect(await answerOf(["--from", join(folder, "dump")])).toEqual(everything);
});

/** Each addon's state, and each check's verdict. */
async function answerOf(args: readonly string[]): Promise<Record<string, string>> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const command = [...programArgs("cli"), "doctor", "--type", "eks", "--json", ...args];
  const { stdout } = await runCommand(process.execPath, command, { env, allowFailure: true });
  const { addons, checks } = JSON.parse(stdout) as {
    readonly addons: readonly { readonly id: string; readonly state: string; readonly checks: readonly Judged[] }[];
    readonly checks: readonly Judged[];
  };
  return Object.fromEntries([
    ...addons.map(({ id, state }) => [id, state]),
    ...[...checks, ...addons.flatMap((each) => each.checks)].map(({ id, verdict }) => [id, verdict]),
  ]);
}

interface Judged {
  readonly id: string;
  readonly verdict: string;
}

test("what is set up wrongly is found, and right again once a shell ran the printed fix, with what it opens uncommented and who set it overruled", async () => {
  const asked = { kubeconfig: cluster.adminKubeconfig, only: "argocd" };
  expect(await examine(asked)).toMatchObject({ code: 0, fitness: "fit" });
  const patch = toJson({ spec: { sourceRepos: ["https://git.example.com/only.git"] } });
  await cluster.kubectl(["patch", "appproject", "default", "-n", "argocd", "--type", "merge", "-p", patch]);
  expect(await examine(asked)).toMatchObject({ code: 1, addons: [{ id: "argocd", state: "misconfigured" }] });

  const { code, stdout } = await doctor(asked, "--fix");
  expect(code).toBe(1);
  const env = { ...cluster.kubectlEnv(), PATH: `${dirname(cluster.kubectlPath)}:${process.env["PATH"]}` };
  await runCommand("sh", ["-e"], { input: stdout, env });
  expect(await examine(asked)).toMatchObject({ code: 1, addons: [{ id: "argocd", state: "misconfigured" }] });
  const refused = await runCommand("sh", ["-e"], { input: uncommentFixes(stdout), env, allowFailure: true });
  expect(refused.stderr).toContain('conflict with "kubectl-patch"');
  const overruling = uncommentFixes(stdout).replace("--server-side", "--server-side --force-conflicts");
  await runCommand("sh", ["-e"], { input: overruling, env });
  expect(await examine(asked)).toMatchObject({ code: 0, fitness: "fit" });
});

function toJson(value: object): string {
  return JSON.stringify(value);
}
