// A pod of the role execute as its chart renders it, from the image for commands: the agent gets its programs from the
// runner's container, and code of others in a run gets at nothing of the agent, of other runs and of the runner.
import { chmod, chown, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "@fairlead/kernel/testing";
import { type Manifest, openTestRepository, startGitHttp, startGitSsh } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { whyNotConfined } from "../fleet/confine.ts";
import { field, listContained } from "../fleet/contained.ts";
import { readContainer } from "../fleet/pod-container.ts";
import { ofKind, openRenderer } from "../fleet/render-charts.ts";
import type { Container } from "../fleet/run-image.ts";
import { openPod, type Pod, type PodOptions } from "../fleet/run-pod.ts";
import { attack, driver } from "./execute-pod.fixture.ts";
import { type UnpackedImage, unpackExecuteImage } from "./unpack-images.ts";

const reason = whyNotConfined();
const bounded = { skip: reason !== "", timeout: 300_000 };
const canaries = {
  token: "canary-of-the-account",
  logs: "canary-of-the-logs",
  beside: "canary-of-the-other-run",
  environment: "canary-of-its-environment",
};
const volumeOfLogs = "/var/lib/fairlead-execute";
const socket = "/run/fairlead/runner/runner.sock";
let folder: string;
let image: UnpackedImage;
let hasTofu = false;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-execute-pod-"));
  // The containers' users go through it.
  await chmod(folder, 0o755);
  if (reason !== "") return;
  ({ image, hasTofu } = await unpackExecuteImage(folder));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each([
  { layout: "with a user of its own", values: {}, agent: 65_532, runner: 65_533, platformUser: undefined },
  {
    layout: "with the user that the platform chose for the pod",
    values: { platformUser: true },
    agent: 1_000_650_000,
    runner: 1_000_650_000,
    platformUser: { uid: 1_000_650_000, gid: 0, groups: [1_000_650_000] },
  },
])("a runner $layout", ({ layout, values, agent: agentUid, runner: runnerUid, platformUser }) => {
  let pod: Pod;
  let runner: Container;
  // biome-ignore lint/suspicious/noExplicitAny: the driver's answer
  let told: any;
  // biome-ignore lint/suspicious/noExplicitAny: the attacker's answer
  let got: any;
  const undo = new AsyncDisposableStack();

  beforeAll(async () => {
    if (reason !== "") return;
    const ofPod = join(folder, layout.replaceAll(" ", "-"));
    await mkdir(ofPod);
    const group = platformUser?.groups[0] ?? 65_532;
    pod = await openPod({ ...(await describePod({ values, ofPod, group })), platformUser });
    const [openPort, closedPort] = [await listen(undo), await listen(undo)];
    runner = undo.use(
      await pod.start("runner", { readyWhen: async () => (await sockets(pod)).includes("runner.sock") }),
    );
    const logs = pod.volumes["folder"] as string;
    await writeFile(join(logs, "driver.mjs"), driver);
    const sources = [...(await serveSources(undo, { withSsh: platformUser === undefined }))];
    const asked = JSON.stringify({ socket, logs: volumeOfLogs, attack, openPort, closedPort, canaries, sources });
    const node = "/usr/bin/node";
    const script = `exec ${node} ${volumeOfLogs}/driver.mjs "$1" >${volumeOfLogs}/told.json`;
    const agent = undo.use(await pod.start("agent", { command: ["/bin/sh", "-c", script, "sh", asked] }));
    const { code } = await agent.exited;
    const log = await readFile(join(ofPod, "agent.log"), "utf8");
    if (code !== 0) throw new Error(`the driver ended with ${code}: ${log}`);
    told = JSON.parse(await readFile(join(logs, "told.json"), "utf8"));
    if (told.attack.exitCode !== 0) throw new Error(`the attacker ended: ${JSON.stringify(told.attack)}`);
    got = JSON.parse(told.attack.stdout);
  }, 300_000);
  afterAll(() => undo.disposeAsync());

  test("runs the programs of commands", bounded, () => {
    expect(told).toMatchObject({
      separation: "container",
      helm: { exitCode: 0, stdout: expect.stringMatching(/^v4\./) },
      ...(hasTofu && { tofu: { exitCode: 0, stdout: expect.stringMatching(/^OpenTofu v1\./) } }),
    });
    expect(told.kinds).toEqual(["manifests", "helm", ...(hasTofu ? ["tofu"] : []), "flow"]);
    expect(new Set(told.sources)).toEqual(new Set(["# a module\n"]));
    expect(told.landlockAbi).toBeGreaterThanOrEqual(4);
  });

  test("a run finds no token of a ServiceAccount, nothing of the agent and nothing of another run", bounded, () => {
    expect(got.looked).toBeGreaterThan(0);
    expect(got.found).toEqual([]);
    expect(got.uid).toBe(runnerUid);
    for (const place of ["account", "logs", "runs", "beside", "writeBeside", "writeRunner", "removeSocket", "agent"])
      expect(got[place], place).toEqual({ code: expect.stringMatching(/^(ENOENT|EACCES|EPERM)$/) });
    // Variables of the agent's container and of the image.
    for (const name of ["MALLOC_ARENA_MAX", "NODE_ENV"]) expect(got.environment).not.toContain(name);
  });

  test("a run can't have the runner start another one, nor end it", bounded, () => {
    expect(got.socket).toMatch(/RUNNER_PEER_REJECTED|^EACCES$/);
    expect(got.killRunner).toEqual({ code: "EPERM" });
    expect(listContained(runner.pid).map(({ program }) => program)).toContain("fairlead-runner");
  });

  test("a run connects where it may and nowhere else", bounded, () => {
    expect([got.openPort, got.closedPort]).toEqual(["connected", "EACCES"]);
  });

  test("nothing of a run is left when it has ended, and another run goes on", bounded, async () => {
    expect(got.daemon).toBe("started");
    expect([told.left.exitCode, told.left.stdout, told.otherRuns]).toEqual([0, "done\n", true]);
    await until(() => listContained(runner.pid).length === 1, "the runner is alone in its container");
    expect(await readdir(join(pod.volumes["runner"] as string, "runs"))).toEqual([]);
  });

  test("the runner has no rights and no more of the pod than its folder", bounded, async () => {
    const [status = ""] = listContained(runner.pid).map((one) => one.status);
    expect(field(status, "Uid").split("\t")).toEqual(Array(4).fill(String(runnerUid)));
    expect([field(status, "CapPrm"), field(status, "CapEff"), field(status, "NoNewPrivs")]).toEqual([none, none, "1"]);
    expect(pod.containers.map(({ name, user }) => [name, user.uid])).toEqual([
      ["agent", agentUid],
      ["runner", runnerUid],
    ]);
    const mounts = await readFile(`/proc/${runner.pid}/mounts`, "utf8");
    const below = mounts.split("\n").flatMap((line) => /^\S+ (\/(?:run|var|tmp|etc)\S*) /.exec(line)?.[1] ?? []);
    expect(below).toEqual(["/run/fairlead/runner"]);
  });

  test("it stays until no run has a folder any more, and ends then", bounded, async () => {
    const work = join(pod.volumes["runner"] as string, "runs", "work-last");
    await mkdir(work);
    const removing = new Promise((resolve) => setTimeout(() => resolve(rm(work, { recursive: true })), 1_500));
    // It waits as a kubelet does, and fails when the folder is still there after a minute.
    const stopping = runner.stop();
    await removing;
    expect(await stopping).toEqual({ code: 0 });
  });
});

test("a field that containers of tests don't apply is an error", async () => {
  const workload = await renderPod({});
  const runtime = { Entrypoint: ["/usr/bin/node"], Env: [], User: "65532:65532" };
  const change = (path: readonly (string | number)[], value: unknown): Manifest => {
    const copy = structuredClone(workload) as Manifest;
    const parent = path.slice(0, -1).reduce((part, key) => part[key], copy["spec"].template.spec);
    parent[path.at(-1) as string] = value;
    return copy;
  };
  expect(readContainer({ workload, name: "runner", runtime }).mounts).toEqual([
    { volume: "runner", at: "/run/fairlead/runner", isWritable: true },
  ]);
  const bad: readonly [readonly (string | number)[], unknown][] = [
    [["hostPID"], true],
    [["shareProcessNamespace"], true],
    [["initContainers"], []],
    [["containers", 1, "envFrom"], []],
    [["containers", 1, "workingDir"], "/tmp"],
    [["containers", 1, "env"], [{ name: "A", valueFrom: {} }]],
    [["containers", 1, "volumeMounts", 0, "subPath"], "a"],
    [["containers", 1, "lifecycle", "postStart"], {}],
    [["containers", 1, "securityContext", "privileged"], true],
    [["containers", 1, "securityContext", "capabilities", "add"], ["SYS_ADMIN"]],
    [["containers", 1, "securityContext", "readOnlyRootFilesystem"], false],
    [["containers", 1, "securityContext", "runAsUser"], 0],
    [["containers", 1, "securityContext", "procMount"], "Unmasked"],
  ];
  for (const [path, value] of bad)
    expect(() => readContainer({ workload: change(path, value), name: "runner", runtime }), path.join(".")).toThrow();
});

async function describePod(options: { values: object; ofPod: string; group: number }): Promise<PodOptions> {
  const { values, ofPod, group } = options;
  const [account, token] = [join(ofPod, "account"), join(ofPod, "token")];
  await writeSecret(account, "token", canaries.token, group);
  await writeSecret(token, "token", canaries.token, group);
  return { ...image, workload: await renderPod(values), folder: ofPod, volumes: { account, token } };
}

async function renderPod(values: object): Promise<Manifest> {
  await using charts = await openRenderer();
  const objects = await charts.render("fairlead-agent", {
    proxy: { enabled: false },
    execute: { enabled: true, rights: { boundElsewhere: true } },
    ...values,
  });
  const [deployment] = ofKind(objects, "Deployment");
  if (deployment === undefined) throw new Error("there is no Deployment");
  return deployment;
}

/** As a kubelet writes it for a pod with an fsGroup. */
async function writeSecret(volume: string, name: string, text: string, group: number): Promise<void> {
  await mkdir(volume, { mode: 0o755 });
  const file = join(volume, name);
  await writeFile(file, text);
  await chown(file, 0, group);
  await chmod(file, 0o440);
}

async function sockets(pod: Pod): Promise<readonly string[]> {
  return await readdir(pod.volumes["runner"] as string);
}

/** Over HTTP, and over SSH where the runner's user has a name: ssh wants one. */
async function serveSources(undo: AsyncDisposableStack, { withSsh }: { readonly withSsh: boolean }) {
  const root = await mkdtemp(join(folder, "repositories-"));
  const repository = await openTestRepository(root, "module.git");
  const commit = await repository.commit({ files: { "main.tf": "# a module\n" } });
  const http = undo.use(await startGitHttp({ root }));
  const ofHttp = { url: http.url("module.git"), commit };
  if (!withSsh) return [ofHttp];
  const { url, knownHosts, privateKey } = undo.use(await startGitSsh({ root }));
  return [ofHttp, { url: url("module.git"), commit, knownHosts, credentials: { privateKey } }];
}

async function listen(undo: AsyncDisposableStack): Promise<number> {
  const server = createServer((connection) => connection.destroy()).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  undo.defer(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return (server.address() as AddressInfo).port;
}

const none = "0000000000000000";
