// The programs can live with what the charts allow their pods: no writable file system but a volume, no user, no
// capabilities, Secrets that only their group reads, and no cluster but that of the ServiceAccount's mount.
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { findLogLines, programArgs, readPodProgram, reservePorts } from "@fairlead/testkit";
import { expect, test } from "vitest";
import { startConfined, whyNotConfined } from "../fleet/confine.ts";
import { deployment, installAgent } from "../fleet/install-agent.ts";
import { ofKind, openRenderer } from "../fleet/render-charts.ts";

const nobody = 65_532;
const reason = whyNotConfined();

test.skipIf(reason !== "")("the agent enrolls and serves within its pod's bounds", async () => {
  await using installed = await installAgent({ replicas: [] });
  const { cluster, hub, namespace, folder } = installed;
  const run = join(folder, "run");
  const { host, port, token } = { host: "127.0.0.1", port: new URL(cluster.url).port, token: await readJoinToken() };
  const account = "secrets/kubernetes.io/serviceaccount";
  await writeSecret(join(run, account, "token"), await cluster.serviceAccountToken({ namespace, name: deployment }));
  await writeSecret(join(run, account, "ca.crt"), cluster.caPem);
  await writeSecret(join(run, account, "namespace"), namespace);
  await writeSecret(join(run, "fairlead/token/token"), token);
  const { stdout } = await cluster.kubectl(["-n", namespace, "get", "deployment", deployment, "-o", "json"]);
  const logFile = join(folder, "confined.log");
  await using _agent = await startConfined({
    name: "confined agent",
    command: process.execPath,
    args: [...programArgs("agent"), ...readPodProgram(JSON.parse(stdout)).args, "--health-listen", "127.0.0.1:0"],
    env: { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port },
    logFile,
    run,
    readyWhen: async () => (await findLogLines(logFile, "agent is connected")).length > 0,
  });
  const kubeconfig = join(folder, "confined.kubeconfig");
  await hub.cli(["kubeconfig", "east", "--output", kubeconfig]);
  expect((await cluster.kubectl(["get", "pods", "-n", namespace, "-o", "name"], { kubeconfig })).stdout).toContain(
    "pod/",
  );
  const [start] = await findLogLines(logFile, "agent starts");
  const probe = async (path: string) => await (await fetch(`${start?.["healthUrl"]}${path}`)).text();
  expect(await probe("/readyz")).toBe("[+] hub ok\n[+] api-server ok\n");
  // Without its hub the pod isn't ready, and still no kubelet restarts it.
  await hub.stop("KILL");
  const isUnready = async () => (await probe("/readyz")).startsWith("[-] hub failed");
  expect(await waitUntil(isUnready, { timeoutMs: 60_000 })).toBe(true);
  expect(await probe("/healthz")).toBe("ok\n");

  async function readJoinToken(): Promise<string> {
    const path = "jsonpath={.data.token}";
    const secret = await cluster.kubectl(["-n", namespace, "get", "secret", "fairlead-agent-join", "-o", path]);
    return Buffer.from(secret.stdout, "base64").toString();
  }
});

test.skipIf(reason !== "")("the hub makes its database and serves within its pod's bounds", async () => {
  await using charts = await openRenderer();
  await using ports = await reservePorts(2);
  const [people, agents] = ports.ports;
  const folder = await mkdtemp(join(tmpdir(), "fairlead-confined-"));
  await using undo = new AsyncDisposableStack();
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755);
  const publicUrl = `https://127.0.0.1:${people}`;
  const objects = await charts.render("fairlead-hub", { publicUrl, agentPublicUrl: `https://127.0.0.1:${agents}` });
  await writeFile(join(folder, "hub.yaml"), ofKind(objects, "ConfigMap")[0]?.["data"]["hub.yaml"]);
  const volume = join(folder, "volume");
  await mkdir(volume);
  await chown(volume, 0, nobody);
  await chmod(volume, 0o2775);
  const [stateful] = ofKind(objects, "StatefulSet");
  if (!stateful) throw new Error("there is no StatefulSet");
  const { args } = readPodProgram(stateful, { "/etc/fairlead/config": folder });
  const listen = ["--listen", `127.0.0.1:${people}`, "--agent-listen", `127.0.0.1:${agents}`];
  const logFile = join(folder, "hub.log");
  await using hub = await startConfined({
    name: "confined hub",
    command: process.execPath,
    args: [...programArgs("hub"), ...args, ...listen, "--data-dir", join(volume, "data")],
    env: {},
    logFile,
    run: folder,
    volume,
    readyWhen: async () => (await findLogLines(logFile, "hub is ready")).length > 0,
  });
  expect(await hub.stop()).toEqual({ code: 0 });
});

/** As a pod's Secret volume with defaultMode 0440 and an fsGroup is. */
async function writeSecret(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 });
  await writeFile(path, text);
  await chown(path, 0, nobody);
  await chmod(path, 0o440);
}
