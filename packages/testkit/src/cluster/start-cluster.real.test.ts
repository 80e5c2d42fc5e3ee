import { existsSync, readFileSync } from "node:fs";
import { waitUntil } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCable } from "../cable/index.ts";
import { createNamespace } from "../shared/index.ts";
import { startCluster, type TestCluster } from "./start-cluster.ts";

const residentLimitBytes = 900e6;

let east: TestCluster;
let west: TestCluster;

beforeAll(async () => {
  [east, west] = await Promise.all([startCluster({ name: "east", nodes: 2 }), startCluster({ name: "west" })]);
});
afterAll(async () => {
  await Promise.all([east?.[Symbol.asyncDispose](), west?.[Symbol.asyncDispose]()]);
});

describe("two clusters side by side", () => {
  it("have nodes and names of their own, and nothing in common", async () => {
    expect((await east.kubectl(["get", "nodes", "-o", "name"])).stdout).toBe("node/east-node-0\nnode/east-node-1\n");
    expect((await west.kubectl(["get", "nodes", "-o", "name"])).stdout).toBe("node/west-node-0\n");
    const crossed = await west.kubectl(["get", "nodes"], { kubeconfig: east.adminKubeconfig });
    expect(crossed.stdout).toContain("east-node-0");
    const { status } = await fetchVersion(west, east.adminToken);
    expect(status).toBe(401);
  });

  it("say which Kubernetes they are", async () => {
    const { gitVersion } = await east.api.json<{ gitVersion: string }>({ path: "/version" });
    expect(gitVersion).toBe(east.kubernetesVersion);
  });

  it("take no more memory than a laptop can spare", () => {
    const bytes = Object.values(east.components).reduce((sum, { pid }) => sum + residentBytes(pid), 0);
    expect(bytes).toBeGreaterThan(100e6);
    expect(bytes).toBeLessThan(residentLimitBytes);
  });

  it("show no address of this machine but loopback", async () => {
    const paths = ["/api", "/api/v1/nodes", "/api/v1/endpoints", "/apis/discovery.k8s.io/v1/endpointslices"];
    const texts = await Promise.all(paths.map(async (path) => (await east.api.send({ path })).text));
    const addresses = texts.join().match(/\b\d+\.\d+\.\d+\.\d+\b/g) ?? [];
    const foreign = addresses.filter((address) => !/^(?:127\.0\.0\.1|0\.0\.0\.0|10\.\d+\.0\.0)$/.test(address));
    expect(foreign).toEqual([]);
  });
});

describe("a cluster", () => {
  it("lets users and service accounts do what RBAC grants, and no more", async () => {
    await using namespace = await createNamespace(east);
    const bare = await east.kubeconfigForServiceAccount({ namespace: namespace.name, name: "default" });
    const getPods = ["-n", namespace.name, "get", "pods"];
    const denied = await east.kubectl(getPods, { kubeconfig: bare, allowFailure: true });
    expect(denied.stderr).toContain(`system:serviceaccount:${namespace.name}:default" cannot list resource "pods"`);

    const user = await east.kubeconfigForUser({ user: "jane", groups: ["developers"] });
    expect((await east.kubectl(getPods, { kubeconfig: user, allowFailure: true })).stderr).toContain('User "jane"');
    await east.kubectl([
      "-n",
      namespace.name,
      "create",
      "rolebinding",
      "view",
      "--clusterrole=view",
      "--group=developers",
      `--serviceaccount=${namespace.name}:default`,
    ]);
    for (const kubeconfig of [bare, user]) {
      const allowed = async () => (await east.kubectl(getPods, { kubeconfig, allowFailure: true })).code === 0;
      expect(await waitUntil(allowed, { timeoutMs: 20_000 })).toBe(true);
    }
  });

  it("schedules a Deployment and collects the garbage when it is deleted", async () => {
    await using namespace = await createNamespace(east);
    const kubectl = (...args: string[]) => east.kubectl(["-n", namespace.name, ...args]);
    await kubectl("create", "deployment", "web", "--image=none", "--replicas=3");
    await kubectl("rollout", "status", "deployment/web", "--timeout=60s");
    expect((await kubectl("get", "pods", "-o", "name")).stdout.trim().split("\n")).toHaveLength(3);
    await kubectl("delete", "deployment", "web");
    const isEmpty = async () => (await kubectl("get", "pods,replicasets", "-o", "name")).stdout === "";
    expect(await waitUntil(isEmpty, { timeoutMs: 60_000, intervalMs: 250 })).toBe(true);
  });

  it("can be reached through a cable", async () => {
    await using cable = await startCable({ to: { port: Number(new URL(east.url).port) } });
    const kubeconfig = await east.kubeconfigForUser({
      user: "root",
      groups: ["system:masters"],
      url: `https://127.0.0.1:${cable.port}`,
    });
    expect((await east.kubectl(["get", "ns", "default", "-o", "name"], { kubeconfig })).stdout).toBe(
      "namespace/default\n",
    );
    expect(cable.totalConnectionCount).toBeGreaterThan(0);
  });

  it("keeps its objects and its address when the API server crashes and comes back", async () => {
    await west.kubectl(["create", "configmap", "kept"]);
    const before = west.apiServer.pid;
    await west.apiServer.stop({ graceMs: 0 });
    expect(west.apiServer.pid).toBeUndefined();
    expect((await west.kubectl(["get", "ns"], { allowFailure: true })).stderr).toMatch(/refused/);
    await west.apiServer.start();
    expect(west.apiServer.pid).not.toBe(before);
    expect((await west.kubectl(["get", "configmap", "kept", "-o", "name"])).stdout).toBe("configmap/kept\n");
  });

  it("answers nothing while the API server is paused, and goes on afterwards", async () => {
    west.apiServer.pause();
    // A request that was on its way when the signal was sent may still be answered.
    const isSilent = () =>
      west.api.send({ path: "/version", timeoutMs: 500 }).then(
        () => false,
        () => true,
      );
    expect(await waitUntil(isSilent, { timeoutMs: 20_000 })).toBe(true);
    west.apiServer.resume();
    expect((await west.api.send({ path: "/version" })).status).toBe(200);
  });

  it("tells the end of the log when a component does not start", async () => {
    const failing = startCluster({ name: "broken", extraArgs: { "kube-apiserver": ["--no-such-flag"] } });
    await expect(failing).rejects.toMatchObject({
      code: "TESTKIT_PROCESS_FAILED",
      message: expect.stringContaining("unknown flag: --no-such-flag"),
    });
  });

  it("leaves neither a process nor a file behind", async () => {
    const cluster = await startCluster({ name: "brief" });
    const pids = Object.values(cluster.components).map(({ pid }) => pid);
    await cluster[Symbol.asyncDispose]();
    expect(pids.filter((pid) => existsSync(`/proc/${pid}/exe`))).toEqual([]);
    expect(existsSync(cluster.stateDir)).toBe(false);
  });
});

function fetchVersion(cluster: TestCluster, token: string): Promise<{ status: number }> {
  const args = [
    "get",
    "--raw",
    "/api/v1/nodes",
    `--token=${token}`,
    "--kubeconfig=/dev/null",
    `--server=${cluster.url}`,
    "--insecure-skip-tls-verify",
  ];
  return cluster.kubectl(args, { allowFailure: true }).then(({ code, stderr }) => ({
    status: code === 0 ? 200 : /Unauthorized/.test(stderr) ? 401 : 0,
  }));
}

function residentBytes(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
