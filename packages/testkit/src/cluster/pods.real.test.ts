// kubectl's commands on a pod that is only a record: all of them end at local processes and loopback ports.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNamespace, sharedCluster, type TestNamespace } from "../shared/index.ts";
import type { ClusterAccess } from "./cluster-access.ts";

let cluster: ClusterAccess;
let namespace: TestNamespace;
let web: Server;

beforeAll(async () => {
  cluster = await sharedCluster();
  namespace = await createNamespace(cluster, "pods");
  web = createServer((request, response) => response.end(`served ${request.url}`)).listen(0, "127.0.0.1");
  await once(web, "listening");
  await applyPod();
});

afterAll(async () => {
  web?.close();
  web?.closeAllConnections();
  await namespace?.[Symbol.asyncDispose]();
});

describe.each([{ webSockets: "true" }, { webSockets: "false" }])("with WebSockets $webSockets", ({ webSockets }) => {
  const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets, KUBECTL_PORT_FORWARD_WEBSOCKETS: webSockets };
  const kubectl = (args: string[], input?: string | Uint8Array) =>
    cluster.kubectl(["-n", namespace.name, ...args], {
      env,
      allowFailure: true,
      ...(input !== undefined && { input }),
    });

  it("exec gives the command's exit code and both of its outputs", async () => {
    const result = await kubectl(["exec", "pod", "--", "sh", "-c", "echo out; echo err >&2; exit 7"]);
    expect(result).toMatchObject({ code: 7, stdout: "out\n" });
    expect(result.stderr).toMatch(/^err$/m);
  });

  it("exec -i sends stdin and its end", async () => {
    const input = randomBytes(8_000_000);
    const { code, stdout } = await kubectl(["exec", "-i", "pod", "--", "sh", "-c", "wc -c; echo done"], input);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "8000000\ndone\n" });
  });

  it("exec -i carries megabytes back unharmed", async () => {
    const input = randomBytes(3_000_000).toString("hex");
    const { stdout } = await kubectl(["exec", "-i", "pod", "--", "cat"], input);
    expect(stdout === input).toBe(true);
  });

  it("exec reports the signal that ended a command as a shell would", async () => {
    expect((await kubectl(["exec", "pod", "--", "sh", "-c", "kill -TERM $$"])).code).toBe(143);
  });

  it("exec of a command that does not exist fails with its name", async () => {
    const { code, stderr } = await kubectl(["exec", "pod", "--", "no-such-command"]);
    expect(code).not.toBe(0);
    expect(stderr).toContain("no-such-command");
  });

  it("exec returns although the command left something running behind, and ends that too", async () => {
    const marker = `99${randomBytes(3).readUIntBE(0, 3)}`;
    const { stdout } = await kubectl(["exec", "pod", "--", "sh", "-c", `sleep ${marker} & echo started`]);
    expect(stdout).toBe("started\n");
    expect(await waitUntil(async () => !(await isRunning(`sleep ${marker}`)), { timeoutMs: 10_000 })).toBe(true);
  });

  // The API server passes on the end of stdin of a lost WebSocket client and nothing else, so this command reads it.
  it("ends the command and what it started when kubectl is killed", async () => {
    const marker = `99${randomBytes(3).readUIntBE(0, 3)}`;
    const script = `sleep ${marker} & cat`;
    const args = ["-n", namespace.name, "exec", "-i", "pod", "--", "sh", "-c", script];
    const stdio = ["pipe", "ignore", "ignore"] as const;
    const client = spawn(cluster.kubectlPath, args, { env: { ...cluster.kubectlEnv(), ...env }, stdio: [...stdio] });
    expect(await waitUntil(() => isRunning(`sleep ${marker}`), { timeoutMs: 20_000 })).toBe(true);
    client.kill("SIGKILL");
    expect(await waitUntil(async () => !(await isRunning(`sleep ${marker}`)), { timeoutMs: 20_000 })).toBe(true);
  });

  it("attach -i reaches a process that answers", async () => {
    const { code, stdout } = await kubectl(["attach", "-i", "pod", "--quiet"], "to the main process\n");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "to the main process\n" });
  });

  it("port-forward reaches a port on loopback", async () => {
    const { port } = web.address() as AddressInfo;
    const args = ["-n", namespace.name, "port-forward", "pod/pod", `:${port}`];
    const client = spawn(cluster.kubectlPath, args, { env: { ...cluster.kubectlEnv(), ...env } });
    try {
      const [line] = (await once(createInterface({ input: client.stdout }), "line")) as [string];
      const local = /127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      for (const path of ["/one", "/two"]) {
        const response = await fetch(`http://127.0.0.1:${local}${path}`);
        expect(await response.text()).toBe(`served ${path}`);
      }
    } finally {
      client.kill("SIGKILL");
    }
  });

  it("cp carries a file to the pod and back", async () => {
    const content = randomBytes(1_000_000);
    const folder = join(cluster.stateDir, `copies-${randomBytes(4).toString("hex")}`);
    await mkdir(folder);
    await writeFile(join(folder, "there"), content);
    expect((await kubectl(["cp", join(folder, "there"), `pod:file-${webSockets}`])).code).toBe(0);
    const inPod = join(cluster.podFiles({ namespace: namespace.name, pod: "pod" }), `file-${webSockets}`);
    expect((await readFile(inPod)).equals(content)).toBe(true);
    expect((await kubectl(["cp", `pod:file-${webSockets}`, join(folder, "back")])).code).toBe(0);
    expect((await readFile(join(folder, "back"))).equals(content)).toBe(true);
  });
});

describe("logs", () => {
  const kubectl = (args: string[]) => cluster.kubectl(["-n", namespace.name, ...args]);
  const write = (container: string, text: string) =>
    cluster.writeLog({ namespace: namespace.name, pod: "pod", container, text });

  it("shows what was written, and its last lines", async () => {
    await write("second", "one\ntwo\nthree\n");
    expect((await kubectl(["logs", "pod", "-c", "second"])).stdout).toBe("one\ntwo\nthree\n");
    expect((await kubectl(["logs", "pod", "-c", "second", "--tail=2"])).stdout).toBe("two\nthree\n");
    expect((await kubectl(["logs", "pod", "-c", "second", "--tail=0"])).stdout).toBe("");
    expect((await kubectl(["logs", "pod", "-c", "second", "--tail=9"])).stdout).toBe("one\ntwo\nthree\n");
  });

  it("-f follows a container that has not written yet, until the client leaves", async () => {
    const args = ["-n", namespace.name, "logs", "-f", "pod", "-c", "third"];
    const client = spawn(cluster.kubectlPath, args, { env: cluster.kubectlEnv() });
    try {
      const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
      for (const text of ["early", "later"]) {
        await write("third", `${text}\n`);
        expect((await lines.next()).value).toBe(text);
      }
    } finally {
      client.kill("SIGKILL");
    }
  });
});

describe("through the API server's proxy", () => {
  it("pods/proxy and services/proxy end on loopback, whatever address the pod has", async () => {
    const { port } = web.address() as AddressInfo;
    const base = `/api/v1/namespaces/${namespace.name}`;
    expect(await cluster.api.send({ path: `${base}/pods/pod:${port}/proxy/from-pod` })).toEqual({
      status: 200,
      text: "served /from-pod",
    });
    await cluster.api.json({
      method: "POST",
      path: `${base}/services`,
      body: { metadata: { name: "web" }, spec: { selector: { app: "pod" }, ports: [{ port: 80, targetPort: port }] } },
    });
    const viaService = async () => {
      const { status, text } = await cluster.api.send({ path: `${base}/services/web:80/proxy/from-service` });
      return status === 200 && text === "served /from-service";
    };
    expect(await waitUntil(viaService, { timeoutMs: 20_000 })).toBe(true);
  });

  it("the pod server turns away whoever is not the API server", async () => {
    const kubeconfig = await cluster.kubeconfigForUser({ user: "eve", groups: ["system:masters"] });
    const { items } = await cluster.api.json<{
      items: { status: { daemonEndpoints: { kubeletEndpoint: { Port: number } } } }[];
    }>({ path: "/api/v1/nodes" });
    const port = items[0]?.status.daemonEndpoints.kubeletEndpoint.Port;
    const args = ["get", "--raw", "/healthz", `--server=https://127.0.0.1:${port}`];
    const result = await cluster.kubectl(args, { kubeconfig, allowFailure: true });
    expect(result.code).not.toBe(0);
    expect(result.stderr).toMatch(/tls|certificate/i);
  });
});

async function applyPod(): Promise<void> {
  const containers = ["main", "second", "third"].map((name) => ({ name, image: "none" }));
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "pod", labels: { app: "pod" } },
    spec: { containers },
  };
  await cluster.kubectl(["-n", namespace.name, "apply", "-f", "-"], { input: JSON.stringify(pod) });
  await cluster.kubectl(["-n", namespace.name, "wait", "--for=condition=Ready", "pod/pod", "--timeout=30s"]);
}

/** Exactly this command line, so that neither kubectl nor the shell that carries it in an argument counts. */
async function isRunning(commandLine: string): Promise<boolean> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commandLines = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""));
  return (await Promise.all(commandLines)).some((text) => text.split("\0").join(" ").trim() === commandLine);
}
