// kubectl as people use it: it asks this command for a token, which is renewed under it, until they sign out.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import {
  type ClusterAccess,
  type CommandOptions,
  createAgentKubeconfig,
  createNamespace,
  joinCluster,
  programArgs,
  sharedCluster,
  startHub,
  type TestHub,
  type TestNamespace,
} from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

const undo = new AsyncDisposableStack();
let hub: TestHub;
let cluster: ClusterAccess;
let namespace: TestNamespace;
let kubeconfig: string;

beforeAll(async () => {
  cluster = await sharedCluster();
  const folder = await mkdtemp(join(tmpdir(), "fairlead-cli-real-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  // The shortest that a hub takes.
  hub = undo.use(await startHub({ args: ["--access-token-ttl", "1m", "--cluster-domain", "k8s.example.com"] }));
  namespace = undo.use(await createNamespace(cluster));
  const agentNamespace = `agent-${crypto.randomUUID().slice(0, 8)}`;
  undo.defer(
    async () => void (await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${agentNamespace}` })),
  );
  const agentKubeconfig = await createAgentKubeconfig(cluster, agentNamespace);
  undo.use(await joinCluster({ hub, name: "east", kubeconfig: agentKubeconfig }));
  kubeconfig = join(folder, "kubeconfig");
  await hub.cli(["kubeconfig", "east", "--output", kubeconfig]);
});
afterAll(() => undo.disposeAsync());

function kubectl(args: readonly string[], options: CommandOptions = {}) {
  return cluster.kubectl(["--namespace", namespace.name, ...args], { kubeconfig, ...options });
}

/** On a kwok node; what is run in it is a local process. */
async function runPod(name: string): Promise<void> {
  const spec = { containers: [{ name: "main", image: "demo" }] };
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name }, spec };
  await kubectl(["apply", "-f", "-"], { input: JSON.stringify(pod) });
  await kubectl(["wait", "--for=condition=Ready", `pod/${name}`, "--timeout=60s"]);
}

async function readSession(): Promise<{ accessToken: string; refreshAt: number }> {
  const { contexts } = JSON.parse(await readFile(hub.cliConfig, "utf8"));
  return contexts[new URL(hub.url).host].session;
}

test("a kubeconfig holds no secret, and kubectl reads and writes with it", async () => {
  const text = await readFile(kubeconfig, "utf8");
  expect(text).not.toMatch(/fl[abrs]_/);

  await kubectl(["create", "configmap", "first", "--from-literal=a=b"]);
  expect((await kubectl(["get", "configmap", "first", "-o", "jsonpath={.data.a}"])).stdout).toBe("b");
});

test("a robot's token serves where no plugin can run", async () => {
  await hub.cli(["access", "robot", "create", "ci"]);
  await hub.cli(["access", "binding", "create", "admin", "--robot", "ci", "--cluster", "east"]);
  const { stdout: token } = await hub.cli([
    "access",
    "robot",
    "token",
    "create",
    "ci",
    "--ttl",
    "10m",
    "--token-out",
    "-",
  ]);
  const file = `${kubeconfig}.static`;
  await hub.cli(["kubeconfig", "east", "--static-token", "-", "--output", file], { input: token });

  const who = await cluster.kubectl(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"], {
    kubeconfig: file,
  });
  expect(who.stdout).toBe("robot:ci");
  const byVariable = await kubectl(["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"], {
    env: { FAIRLEAD_TOKEN: token.trim() },
  });
  expect(byVariable.stdout).toBe("robot:ci");
});

test("kubectl proxy, which drops a server's path, reaches the cluster by a host of its own", async () => {
  const file = `${kubeconfig}.host`;
  await hub.cli(["kubeconfig", "east", "--host-per-cluster", "--output", file]);
  expect(await readFile(file, "utf8")).toContain(`https://east.k8s.example.com:${new URL(hub.url).port}`);
  // In the place of a DNS record.
  await using resolver = await startResolver(Number(new URL(hub.url).port));
  await cluster.kubectl(["config", "set", "clusters.fairlead-east.proxy-url", resolver.url], { kubeconfig: file });

  await using byHost = await startKubectlProxy(file);
  expect(await byHost.get(`/api/v1/namespaces/${namespace.name}`)).toMatchObject({
    status: 200,
    body: { kind: "Namespace" },
  });
  expect(await byHost.get("/api/v1/clusters")).toMatchObject({ status: 404, body: { kind: "Status" } });

  await using byPath = await startKubectlProxy(kubeconfig);
  expect(await byPath.get(`/api/v1/namespaces/${namespace.name}`)).toMatchObject({
    status: 404,
    body: { code: "API_ROUTE_UNKNOWN", hint: expect.stringContaining("--append-server-path") },
  });
});

test("what a robot does under a binding that records is in the audit, and can be played again", async () => {
  await runPod("web-0");
  await hub.cli(["access", "robot", "create", "oncall"]);
  await hub.cli(["access", "binding", "create", "admin", "--robot", "oncall", "--cluster", "east", "--record"]);
  const { stdout: token } = await hub.cli(["access", "robot", "token", "create", "oncall", "--token-out", "-"]);
  const following = spawn(
    process.execPath,
    [...programArgs("cli"), "audit", "list", "--follow", "--json", "--user", "robot:oncall"],
    { env: { HOME: "/nonexistent", FAIRLEAD_CONFIG: hub.cliConfig }, stdio: ["ignore", "pipe", "inherit"] },
  );
  using _ = { [Symbol.dispose]: () => void following.kill("SIGKILL") };
  let followed = "";
  following.stdout.on("data", (chunk: Buffer) => {
    followed += chunk.toString();
  });

  const env = { FAIRLEAD_TOKEN: token.trim() };
  const isFollowing = async (): Promise<boolean> => {
    await kubectl(["get", "pods"], { env });
    return followed !== "";
  };
  expect(await waitUntil(isFollowing, { timeoutMs: 60_000, intervalMs: 500 })).toBe(true);
  const ran = await kubectl(["exec", "web-0", "--", "sh", "-c", "echo before; sleep 1; echo after"], { env });
  expect(ran.stdout).toBe("before\nafter\n");

  const listed = JSON.parse((await hub.cli(["audit", "recording", "list", "--user", "robot:oncall", "--json"])).stdout);
  const [recording] = listed.items;
  expect(recording).toMatchObject({ cluster: "east", pod: "web-0", kind: "exec" });
  const played = await hub.cli(["audit", "recording", "replay", recording.requestId]);
  expect(played.stdout.replaceAll("\r", "")).toBe("before\nafter\n");

  const since = ["--since", "10m", "--user", "robot:oncall", "--verb", "create"];
  const records = (await hub.cli(["audit", "list", ...since])).stdout;
  expect(records).toMatch(new RegExp(`pods/web-0/exec .*${recording.requestId}`));
  expect(await waitUntil(async () => followed.includes(recording.requestId), { timeoutMs: 20_000 })).toBe(true);
  expect((await hub.cli(["audit", "verify"])).stdout).toMatch(/^whole: /);
});

test.concurrent("tokens run out and are renewed under kubectl, and a watch never notices; signing out ends it at once", async () => {
  const watch = spawn(
    cluster.kubectlPath,
    ["--namespace", namespace.name, "get", "configmaps", "--watch", "--output", "name"],
    { env: cluster.kubectlEnv(kubeconfig), stdio: ["ignore", "pipe", "pipe"] },
  );
  using _ = { [Symbol.dispose]: () => void watch.kill("SIGKILL") };
  let watched = "";
  watch.stdout.on("data", (chunk: Buffer) => {
    watched += chunk.toString();
  });
  const ended = once(watch, "exit");
  const first = await readSession();
  const isRenewed = async (): Promise<boolean> => {
    // Many at once, as scripts do: none may fail, whoever of them renews.
    await Promise.all(Array.from({ length: 3 }, () => kubectl(["get", "configmaps"])));
    return Date.now() > first.refreshAt + 20_000;
  };
  expect(await waitUntil(isRenewed, { timeoutMs: 150_000, intervalMs: 3_000 })).toBe(true);
  expect((await readSession()).accessToken).not.toBe(first.accessToken);

  await kubectl(["create", "configmap", "late"]);
  expect(await waitUntil(async () => watched.includes("configmap/late"), { timeoutMs: 20_000 })).toBe(true);
  expect(watch.exitCode).toBe(null);

  expect((await hub.cli(["logout"])).stdout).toBe(`Signed out of ${hub.url}.\n`);
  await ended;
  const refused = await kubectl(["get", "configmaps"], { allowFailure: true });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(
    `fairlead: You are signed out of ${hub.url}. Run 'fairlead login ${hub.url}'. (CLI_SIGNED_OUT)`,
  );
}, 240_000);

test.concurrent("a session that has come to its end says so through kubectl", async () => {
  // The shortest that a hub takes. It has no cluster: all that matters is who it thinks asks.
  await using short = await startHub({ args: ["--session-max", "1m"] });
  await short.cli(["cluster", "add", "east"]);
  const file = `${kubeconfig}.short`;
  await short.cli(["kubeconfig", "east", "--output", file]);
  const ask = () => cluster.kubectl(["get", "--raw", "/version"], { kubeconfig: file, allowFailure: true });
  expect((await ask()).stderr).toContain("is not connected");

  const hasEnded = async (): Promise<boolean> => (await ask()).stderr.includes("fairlead: ");
  expect(await waitUntil(hasEnded, { timeoutMs: 150_000, intervalMs: 2_000 })).toBe(true);
  expect((await ask()).stderr).toMatch(/You are signed out of .* \(CLI_SIGNED_OUT\)/);
}, 240_000);

/** A proxy that leads every host to one port of this machine. */
async function startResolver(port: number): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer();
  server.on("connect", (_req, socket: Socket, head: Buffer) => {
    const there = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      there.write(head);
      socket.pipe(there).pipe(socket);
    });
    for (const each of [there, socket]) each.on("error", () => [there, socket].map((end) => end.destroy()));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

interface KubectlProxy extends AsyncDisposable {
  get(path: string): Promise<{ readonly status: number; readonly body: unknown }>;
}

async function startKubectlProxy(file: string): Promise<KubectlProxy> {
  const proxy = spawn(cluster.kubectlPath, ["proxy", "--port", "0"], {
    env: cluster.kubectlEnv(file),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(proxy.stdout, "data")) as [Buffer];
  const address = /127\.0\.0\.1:\d+/.exec(line.toString())?.[0];
  return {
    async get(path) {
      const answer = await fetch(`http://${address}${path}`);
      return { status: answer.status, body: await answer.json() };
    },
    async [Symbol.asyncDispose]() {
      const ended = once(proxy, "exit");
      proxy.kill("SIGKILL");
      await ended;
    },
  };
}
