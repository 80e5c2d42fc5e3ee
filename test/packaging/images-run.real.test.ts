// The images do what their charts ask of them, with nothing else: from `fairlead cluster add` to `kubectl get nodes`.
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type ClusterAccess,
  createNamespace,
  findLogLines,
  type Manifest,
  openHelm,
  programArgs,
  type RunningProcess,
  repoRoot,
  reservePorts,
  runCommand,
  sharedCluster,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildImages, type ImageProgram, unpackImage } from "../../deploy/images/index.ts";
import { whyNotConfined } from "../fleet/confine.ts";
import { ofKind } from "../fleet/render-charts.ts";
import { askImage, type ImageRuntime, runImage } from "../fleet/run-image.ts";
import { readLayout } from "./read-layout.ts";

const pod = 65_532;
const arch = process.arch === "arm64" ? "arm64" : "amd64";
const [node, path] = [process.execPath, process.env["PATH"] ?? ""];
const images = new Map<ImageProgram, { readonly rootfs: string; readonly runtime: ImageRuntime }>();
const reason = whyNotConfined();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-images-"));
  // The pods' user goes through it.
  await chmod(folder, 0o755);
  if (reason !== "") return;
  await runCommand("npm", ["run", "--silent", "build:run"], {
    cwd: repoRoot,
    env: { PATH: path, HOME: process.env["HOME"] ?? "/" },
    timeoutMs: 300_000,
  });
  for (const { program, layoutDir } of await buildImages({ outDir: folder, arches: [arch], allowNewer: true })) {
    const rootfs = join(folder, `${program}-root`);
    await unpackImage({ layoutDir, arch, targetDir: rootfs });
    const image = readLayout(layoutDir).images.get(arch);
    if (image === undefined) throw new Error("there is no image");
    images.set(program, { rootfs, runtime: image.config.config });
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.skipIf(reason !== "")("the images take a cluster from `cluster add` to `kubectl get nodes`", async () => {
  await using undo = new AsyncDisposableStack();
  const cluster = await sharedCluster();
  const { name: namespace } = undo.use(await createNamespace(cluster, "images"));
  const helm = undo.use(await openHelm({ kubeconfig: cluster.adminKubeconfig }));
  const hub = await startHub(helm);
  undo.use(hub.process);

  const token = join(folder, "join-token");
  await hub.cli(["cluster", "add", "east", "--token-out", token]);
  await cluster.kubectl(["-n", namespace, "create", "secret", "generic", "join", `--from-file=token=${token}`]);
  const values = { hub: { url: hub.agentUrl }, token: { existingSecret: "join" } };
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
    await expectBounds(running.process, running.workload);
    expect(await running.process.stop()).toEqual({ code: 0 });
  }
});

test.skipIf(reason !== "")("any user can run them, and finds authorities and time zones", () => {
  for (const { rootfs, runtime } of images.values()) {
    const [, main = ""] = runtime.Entrypoint;
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
    ...{ name: "hub", ...imageOf("hub"), workload, logFile },
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
    ...{ name: "agent", ...imageOf("agent"), workload, logFile },
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
async function expectBounds({ pid }: RunningProcess, workload: Manifest): Promise<void> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => new RegExp(`^${name}:\\s+(.+)$`, "m").exec(status)?.[1] ?? "";
  const { runAsUser, runAsGroup } = workload["spec"].template.spec.securityContext;
  for (const { runtime } of images.values()) expect(runtime.User).toBe(`${runAsUser}:${runAsGroup}`);
  expect(field("Uid").split("\t")).toEqual(Array(4).fill(String(pod)));
  expect(field("Gid").split("\t")).toEqual(Array(4).fill(String(pod)));
  expect(field("CapEff")).toBe("0000000000000000");
  expect(field("NoNewPrivs")).toBe("1");
  const { limits } = workload["spec"].template.spec.containers[0].resources;
  expect(Number.parseInt(field("VmHWM"), 10) * 1024).toBeLessThan(bytesOf(limits.memory));
}

function bytesOf(quantity: string): number {
  const [, amount = "", unit = ""] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(amount) * (unit === "Gi" ? 2 ** 30 : 2 ** 20);
}

function imageOf(program: ImageProgram) {
  const image = images.get(program);
  if (image === undefined) throw new Error(`there is no image of ${program}`);
  return image;
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
