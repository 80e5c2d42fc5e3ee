// Everything that streams, by today's kubectl in both of its protocols and by one from before it spoke WebSocket.
import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CommandOptions, ensureOldKubectl, runCommand } from "@fairlead/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followCommand } from "../fleet/follow-command.ts";
import { type PodWeb, startPodWeb } from "../fleet/pod-web.ts";
import { runPod } from "../fleet/pods.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

const mebibyte = 2 ** 20;
let fleet: Fleet;
let web: PodWeb;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-matrix-"));
  web = await startPodWeb();
  fleet = await startFleet();
  await runPod(fleet, "hello");
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await web?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe.each([
  { client: "today's kubectl over WebSocket", isOld: false, useWebSockets: true, method: "GET" },
  { client: "today's kubectl over SPDY", isOld: false, useWebSockets: false, method: "POST" },
  { client: "kubectl 1.28, which has SPDY only", isOld: true, useWebSockets: true, method: "POST" },
])("$client", ({ isOld, useWebSockets, method }) => {
  const env = {
    KUBECTL_REMOTE_COMMAND_WEBSOCKETS: String(useWebSockets),
    KUBECTL_PORT_FORWARD_WEBSOCKETS: String(useWebSockets),
  };
  const { kubectl, follow, script } = kubectlOf(isOld, env);

  test("speaks the protocol that is meant here", async () => {
    const { stderr } = await kubectl(["-v=8", "exec", "hello", "--", "true"]);
    expect(stderr).toMatch(
      new RegExp(`${method} https://[^ ]+/pods/hello/exec\\?|verb="${method}" url="[^"]+/exec\\?`),
    );
  });

  test("brings back a command's exit code and both of its outputs", async () => {
    const args = ["exec", "hello", "--", "sh", "-c", "echo out; echo err >&2; exit 7"];
    const result = await kubectl(args, { allowFailure: true });
    expect(result).toMatchObject({ code: 7, stdout: "out\n", stderr: expect.stringContaining("err\n") });
  });

  test("sends standard input to its end, and megabytes back unharmed", async () => {
    const input = randomBytes(3 * mebibyte).toString("base64");
    const args = ["exec", "-i", "hello", "--", "sh", "-c", "cat; echo; echo end"];
    expect((await kubectl(args, { input })).stdout === `${input}\nend\n`).toBe(true);
  });

  test("gives a command a terminal of the user's size", async () => {
    // The size follows the start of the command.
    const command = 'tty; while [ "$(stty size)" = "0 0" ]; do sleep 0.05; done; stty size';
    const output = await script("stty rows 33 cols 111", ["exec", "-it", "hello", "--", "sh", "-c", command]);
    // The end of `script`'s own input may be echoed in between.
    expect(output).toMatch(/\/dev\/pts\/\d+\D*33 111\s/);
  });

  test("attaches to the main process", async () => {
    const { stdout } = await kubectl(["attach", "-i", "hello", "--quiet"], { input: "to the main process\n" });
    expect(stdout).toBe("to the main process\n");
  });

  test("copies a file of 16 MiB there and back", async () => {
    const content = randomBytes(16 * mebibyte);
    const name = `copy-${isOld}-${useWebSockets}`;
    await writeFile(join(folder, name), content);
    await kubectl(["cp", name, `${fleet.namespace.name}/hello:${name}`], { cwd: folder });
    const { stdout } = await kubectl(["exec", "hello", "--", "sha256sum", name]);
    expect(stdout.split(" ")[0]).toBe(sha256(content));
    // The API server closes the connection behind its last byte. A ping of kubectl that comes then costs what is still on
    // its way, over a direct connection too.
    await kubectl(["cp", "--retries=10", `${fleet.namespace.name}/hello:${name}`, `${name}.back`], { cwd: folder });
    expect(sha256(await readFile(join(folder, `${name}.back`)))).toBe(sha256(content));
  });

  test("forwards 24 connections at once", async () => {
    await using forward = await follow(["port-forward", "pod/hello", `:${web.port}`]);
    const [, port] = await forward.waitFor(/Forwarding from 127\.0\.0\.1:(\d+)/);
    const bodies = await Promise.all(
      Array.from({ length: 24 }, async () => {
        const response = await fetch(`http://127.0.0.1:${port}/body`, { headers: { connection: "close" } });
        return sha256(Buffer.from(await response.arrayBuffer()));
      }),
    );
    expect(new Set(bodies)).toEqual(new Set([web.sha256]));
  });
});

describe.each([
  { client: "today's kubectl", isOld: false },
  { client: "kubectl 1.28", isOld: true },
])("$client", ({ isOld }) => {
  const { kubectl, follow } = kubectlOf(isOld);

  test("follows a log", async () => {
    const container = `main-${isOld}`;
    await runPod(fleet, `log-${isOld}`, container);
    const log = (text: string) =>
      fleet.cluster.writeLog({ namespace: fleet.namespace.name, pod: `log-${isOld}`, container, text });
    await log("first line\n");
    await using logs = await follow(["logs", "-f", `log-${isOld}`]);
    await logs.waitFor(/first line/);
    await log("second line\n");
    await logs.waitFor(/second line/);
  });

  test("watches", async () => {
    const name = `seen-${isOld}`;
    await using watch = await follow(["get", "configmaps", "--watch", "--output-watch-events"]);
    await watch.waitFor(/kube-root-ca/);
    await kubectl(["create", "configmap", name]);
    await watch.waitFor(new RegExp(`ADDED\\s+${name}`));
    await kubectl(["delete", "configmap", name]);
    await watch.waitFor(new RegExp(`DELETED\\s+${name}`));
  });

  test("applies a ConfigMap as large as the API server takes, and reads it back", async () => {
    const name = `large-${isOld}`;
    const text = randomBytes(mebibyte / 2).toString("hex");
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { text } };
    await kubectl(["apply", "--server-side", "-f", "-"], { input: JSON.stringify(object) });
    const { stdout } = await kubectl(["get", "configmap", name, "-o", "jsonpath={.data.text}"]);
    expect(stdout === text).toBe(true);
  });

  test("says that a cluster without metrics has none", async () => {
    const { code, stderr } = await kubectl(["top", "nodes"], { allowFailure: true });
    expect(code).toBe(1);
    expect(stderr).toMatch(/Metrics API not available/);
  });

  test("reaches a pod and a service through the API server's proxy", async () => {
    const { name: namespace } = fleet.namespace;
    const service = `web-${isOld}`;
    await fleet.kubectl(["create", "service", "clusterip", service, `--tcp=80:${web.port}`]);
    await fleet.kubectl(["set", "selector", `service/${service}`, "app=hello"]);
    // kubectl 1.28 takes what follows --raw as the whole path, whatever path its server has.
    const prefix = isOld ? new URL(fleet.joined.url).pathname : "";
    const base = `${prefix}/api/v1/namespaces/${namespace}`;
    const pod = await kubectl(["get", "--raw", `${base}/pods/hello:${web.port}/proxy/from-a-pod`]);
    expect(pod.stdout).toBe("served /from-a-pod");
    const viaService = () =>
      kubectl(["get", "--raw", `${base}/services/${service}:80/proxy/from-a-service`], { allowFailure: true });
    await expect.poll(async () => (await viaService()).stdout).toBe("served /from-a-service");
  });
});

/** Runs kubectl through the hub, in the fleet's namespace. */
function kubectlOf(isOld: boolean, env: Readonly<Record<string, string>> = {}) {
  const path = async () => (isOld ? await ensureOldKubectl() : fleet.cluster.kubectlPath);
  const withNamespace = (args: readonly string[]) => ["--namespace", fleet.namespace.name, ...args];
  const environment = () => ({ ...fleet.cluster.kubectlEnv(fleet.kubeconfig), ...env });
  return {
    kubectl: async (args: readonly string[], options: CommandOptions = {}) =>
      runCommand(await path(), withNamespace(args), { ...options, env: environment() }),
    follow: async (args: readonly string[]) => followCommand(await path(), withNamespace(args), environment()),
    /** In a terminal, which `script` makes, after a command that prepares it. */
    script: async (prepare: string, args: readonly string[]) => {
      const words = [await path(), ...withNamespace(args)].map((word) => `'${word}'`);
      const command = `${prepare}; exec ${words.join(" ")}`;
      return (await runCommand("script", ["-qec", command, "/dev/null"], { env: environment() })).stdout;
    },
  };
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
