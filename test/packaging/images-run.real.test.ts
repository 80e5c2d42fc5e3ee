// The images do what their charts ask of them, with nothing else: from `fairlead cluster add` to `kubectl get nodes`.
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type ClusterAccess,
  createNamespace,
  findLogLines,
  imageRegistry,
  type Manifest,
  openHelm,
  programArgs,
  repoRoot,
  reservePorts,
  runCommand,
  sharedCluster,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ImageProgram } from "../../deploy/images/index.ts";
import { whyNotConfined } from "../fleet/confine.ts";
import { field, listContained } from "../fleet/contained.ts";
import { readShareMiB } from "../fleet/memory.ts";
import { ofKind } from "../fleet/render-charts.ts";
import { askImage, type Container, runImage } from "../fleet/run-image.ts";
import { type UnpackedImage, unpackImages } from "./unpack-images.ts";

const pod = 65_532;
const [node, path] = [process.execPath, process.env["PATH"] ?? ""];
const programs = ["hub", "agent"] as const;
const reason = whyNotConfined();
let folder: string;
let imageOf: (program: ImageProgram) => UnpackedImage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-images-"));
  // The pods' user goes through it.
  await chmod(folder, 0o755);
  if (reason === "") imageOf = await unpackImages(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const bounded = { skip: reason !== "", timeout: 400_000 };

test("the images take a cluster from `cluster add` to `kubectl get nodes`", bounded, async () => {
  await using undo = new AsyncDisposableStack();
  const cluster = await sharedCluster();
  const { name: namespace } = undo.use(await createNamespace(cluster, "images"));
  const helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
  const hub = await startHub(helm);
  undo.use(hub.process);

  const token = join(folder, "join-token");
  await hub.cli(["cluster", "add", "east", "--token-out", token]);
  await cluster.kubectl(["-n", namespace, "create", "secret", "generic", "join", `--from-file=token=${token}`]);
  const image = { registry: imageRegistry };
  const values = { hub: { url: hub.agentUrl }, token: { existingSecret: "join" }, image };
  const file = await helm.writeValues(values);
  const chart = join(repoRoot, "charts", "fairlead-agent");
  await helm.run(["install", "images", chart, "--namespace", namespace, "--values", file]);
  undo.defer(async () => void (await helm.run(["uninstall", "images", "-n", namespace], { allowFailure: true })));
  const agent = undo.use(await startAgent(cluster, namespace, "images-fairlead-agent-proxy", token));

  const kubeconfig = join(folder, "kubeconfig");
  await hub.cli(["kubeconfig", "east", "--output", kubeconfig]);
  const nodes = (await cluster.kubectl(["get", "nodes", "-o", "name"])).stdout;
  expect(nodes).toContain("node/");
  expect((await cluster.kubectl(["get", "nodes", "-o", "name"], { kubeconfig })).stdout).toBe(nodes);
  for (const running of [hub, agent]) {
    expectBounds(running.process, running.workload);
    expect(await running.process.stop()).toEqual({ code: 0 });
  }
});

test("any user can run them, and finds authorities and time zones", bounded, () => {
  for (const { rootfs, runtime } of programs.map((program) => imageOf(program))) {
    const main = runtime.Entrypoint.at(-1) ?? "";
    expect(askImage({ rootfs, runtime, args: [main, "--version"] })).toMatch(/^(fairlead-hub )?\d+\.\d+\.\d+\n$/);
    const ask = (expression: string) => askImage({ rootfs, runtime, args: ["-p", expression] }).trim();
    expect(Number(ask(`tls.getCACertificates("system").length`))).toBeGreaterThan(100);
    expect(ask(`new Date(0).toLocaleString("en-GB", { timeZone: "Asia/Tokyo" })`)).toBe("01/01/1970, 09:00:00");
    expect(ask(`process.getuid() + " " + os.homedir()`)).toBe("10001 /");
    expect(ask(`try { fs.writeFileSync("/tmp-file", "") } catch (error) { error.code }`)).toMatch(/^(EROFS|EACCES)$/);
  }
});

async function startHub(helm: Awaited<ReturnType<typeof openHelm>>) {
  await using ports = await reservePorts(2);
  const [people, agents] = ports.ports.map((port) => `127.0.0.1:${port}`);
  const [url, agentUrl] = [`https://${people}`, `https://${agents}`];
  const values = { publicUrl: url, agentPublicUrl: agentUrl };
  const objects = await helm.render({ chart: "fairlead-hub", values });
  const workload = only(objects, "StatefulSet");
  const config = join(folder, "config");
  await mkdir(config);
  await writeFile(join(config, "hub.yaml"), only(objects, "ConfigMap")["data"]["hub.yaml"]);
  const volume = join(folder, "volume");
  await mkdir(volume);
  await chown(volume, 0, pod);
  await chmod(volume, 0o2775);
  const logFile = join(folder, "hub.log");
  const process = await runImage({
    name: "hub",
    ...imageOf("hub"),
    workload,
    logFile,
    mounts: [
      { at: "/etc/fairlead/config", from: config },
      { at: "/var/lib/fairlead-hub", from: volume, isWritable: true },
    ],
    args: [`--listen=${people}`, `--agent-listen=${agents}`],
    readyWhen: async () => (await findLogLines(logFile, "hub is ready")).length > 0,
  });
  const cli = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    const env = { PATH: path, HOME: folder, FAIRLEAD_CONFIG: join(folder, "cli.yaml"), ...more };
    return runCommand(node, [...programArgs("cli"), ...args], { env });
  };
  const log = await readFile(logFile, "utf8");
  const FAIRLEAD_TOKEN = /\bfla_[0-9a-z]+/.exec(log)?.[0] ?? "";
  await cli(["login", url, "--ca-fingerprint", /\b[0-9a-f]{64}\b/.exec(log)?.[0] ?? ""], { FAIRLEAD_TOKEN });
  return { process, workload, agentUrl, cli };
}

async function startAgent(cluster: ClusterAccess, namespace: string, name: string, token: string) {
  const { stdout } = await cluster.kubectl(["-n", namespace, "get", "deployment", name, "-o", "json"]);
  const workload = JSON.parse(stdout) as Manifest;
  const { serviceAccountName } = workload["spec"].template.spec;
  const [account, secret] = [join(folder, "account"), join(folder, "token")];
  await writeSecret(join(account, "token"), await cluster.serviceAccountToken({ namespace, name: serviceAccountName }));
  await writeSecret(join(account, "ca.crt"), cluster.caPem);
  await writeSecret(join(account, "namespace"), namespace);
  await writeSecret(join(secret, "token"), await readFile(token, "utf8"));
  const logFile = join(folder, "agent.log");
  const process = await runImage({
    name: "agent",
    ...imageOf("agent"),
    workload,
    logFile,
    mounts: [
      { at: "/var/run/secrets/kubernetes.io/serviceaccount", from: account },
      { at: "/var/run/fairlead/token", from: secret },
    ],
    args: ["--health-listen=127.0.0.1:0"],
    env: { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: new URL(cluster.url).port },
    readyWhen: async () => (await findLogLines(logFile, "agent is connected")).length > 0,
  });
  return { process, workload, [Symbol.asyncDispose]: () => process[Symbol.asyncDispose]() };
}

/** As a kubelet holds a container: another user, another root, no capabilities, and less memory than the limit. */
function expectBounds({ pid }: Container, workload: Manifest): void {
  const processes = listContained(pid);
  const { runAsUser, runAsGroup } = workload["spec"].template.spec.securityContext;
  for (const program of programs) expect(imageOf(program).runtime.User).toBe(`${runAsUser}:${runAsGroup}`);
  for (const { status } of processes) {
    expect(field(status, "Uid").split("\t")).toEqual(Array(4).fill(String(pod)));
    expect(field(status, "Gid").split("\t")).toEqual(Array(4).fill(String(pod)));
    expect(field(status, "CapEff")).toBe("0000000000000000");
    expect(field(status, "NoNewPrivs")).toBe("1");
  }
  const { limits } = workload["spec"].template.spec.containers[0].resources;
  const sharesMiB = processes.map(({ pid: one }) => readShareMiB(one)).reduce((sum, share) => sum + share, 0);
  expect(sharesMiB).toBeGreaterThan(10);
  expect(sharesMiB).toBeLessThan(toMiB(limits.memory));
}

function toMiB(quantity: string): number {
  const [, amount = "", unit = ""] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(amount) * (unit === "Gi" ? 1024 : 1);
}

function only(objects: readonly Manifest[], kind: string): Manifest {
  const [object] = ofKind(objects, kind);
  if (object === undefined) throw new Error(`there is no ${kind}`);
  return object;
}

/** As a pod's Secret volume with defaultMode 0440 and an fsGroup is. */
async function writeSecret(to: string, text: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o755 });
  await writeFile(to, text);
  await chown(to, 0, pod);
  await chmod(to, 0o440);
}
