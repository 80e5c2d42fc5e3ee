// An unmodified kubectl through the hub, in both of its streaming protocols.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { followCommand } from "../fleet/follow-command.ts";
import { runPod } from "../fleet/pods.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet();
  await runPod(fleet, "hello");
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

test("nodes, versions and API resources read as they do straight from the API server", async () => {
  for (const args of [
    ["get", "nodes", "-o", "name"],
    ["api-resources", "-o", "name"],
    ["version", "-o", "json"],
  ]) {
    const direct = await fleet.cluster.kubectl(args);
    expect((await fleet.kubectl(args)).stdout).toBe(direct.stdout);
  }
});

test("a watch shows changes as they happen", async () => {
  await using watch = follow(["get", "configmaps", "--watch", "--output-watch-events"]);
  await watch.waitFor(/kube-root-ca/);
  await fleet.kubectl(["create", "configmap", "seen"]);
  await watch.waitFor(/ADDED\s+seen/);
  await fleet.kubectl(["delete", "configmap", "seen"]);
  await watch.waitFor(/DELETED\s+seen/);
  expect(watch.exitCode).toBeUndefined();
});

test("a ConfigMap of 900 KiB is applied on the server's side, read back whole, and deleted", async () => {
  const text = "fairlead ".repeat(100 * 1024);
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "large" }, data: { text } };
  await fleet.kubectl(["apply", "--server-side", "-f", "-"], { input: JSON.stringify(object) });
  const { stdout } = await fleet.kubectl(["get", "configmap", "large", "-o", "jsonpath={.data.text}"]);
  expect(stdout).toBe(text);
  await fleet.kubectl(["delete", "configmap", "large"]);
  const gone = await fleet.kubectl(["get", "configmap", "large"], { allowFailure: true });
  expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining('configmaps "large" not found') });
});

test("the API server's own refusals arrive unchanged", async () => {
  const args = ["create", "-f", "-"];
  const input = JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name: "Not A Name" }, spec: {} });
  const through = await fleet.kubectl(args, { input, allowFailure: true });
  const direct = await fleet.cluster.kubectl(["--namespace", fleet.namespace.name, ...args], {
    input,
    allowFailure: true,
  });
  expect(through).toEqual(direct);
  expect(through.stderr).toContain("Invalid value");
});

test("a log is followed line by line", async () => {
  const log = (text: string) =>
    fleet.cluster.writeLog({ namespace: fleet.namespace.name, pod: "hello", container: "main", text });
  await log("first line\n");
  await using logs = follow(["logs", "-f", "hello"]);
  await logs.waitFor(/first line/);
  await log("second line\n");
  await logs.waitFor(/second line/);
});

describe.each([
  ["WebSocket", "true"],
  ["SPDY", "false"],
])("over %s", (_, useWebSockets) => {
  const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: useWebSockets, KUBECTL_PORT_FORWARD_WEBSOCKETS: useWebSockets };

  test("a command's exit code, output and error output come back", async () => {
    const args = ["exec", "hello", "--", "sh", "-c", "echo out; echo err >&2; exit 7"];
    const result = await fleet.kubectl(args, { env, allowFailure: true });
    expect(result).toMatchObject({ code: 7, stdout: "out\n", stderr: expect.stringContaining("err\n") });
  });

  test("a command reads standard input to its end", async () => {
    const input = Buffer.alloc(3 << 20, "0123456789abcdef\n");
    const result = await fleet.kubectl(["exec", "-i", "hello", "--", "sh", "-c", "wc -c"], { env, input });
    expect(Number(result.stdout)).toBe(input.length);
  });

  test("a large output arrives whole", async () => {
    const { stdout } = await fleet.kubectl(["exec", "hello", "--", "head", "-c", "20000000", "/dev/zero"], { env });
    expect(stdout.length).toBe(20_000_000);
  });

  test("a port is forwarded", async () => {
    const server = createServer((_request, response) => response.end("hello from the pod"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const target = (server.address() as AddressInfo).port;
      await using forward = follow(["port-forward", "pod/hello", `:${target}`], env);
      const [, port] = await forward.waitFor(/Forwarding from 127\.0\.0\.1:(\d+)/);
      for (let i = 0; i < 5; i++) {
        const response = await fetch(`http://127.0.0.1:${port}/`);
        expect(await response.text()).toBe("hello from the pod");
      }
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  test("a file is copied there and back", async () => {
    const { cluster, namespace } = fleet;
    const name = `copied-${useWebSockets}`;
    await fleet.kubectl(["exec", "-i", "hello", "--", "sh", "-c", `cat > ${name}`], { env, input: "a file's text" });
    await fleet.kubectl(["cp", `${namespace.name}/hello:${name}`, `${name}.local`], { env, cwd: cluster.stateDir });
    await fleet.kubectl(["cp", `${name}.local`, `${namespace.name}/hello:${name}.back`], {
      env,
      cwd: cluster.stateDir,
    });
    const { stdout } = await fleet.kubectl(["exec", "hello", "--", "cat", `${name}.back`], { env });
    expect(stdout).toBe("a file's text");
  });
});

function follow(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return followCommand(fleet.cluster.kubectlPath, ["--namespace", fleet.namespace.name, ...args], {
    ...fleet.cluster.kubectlEnv(fleet.kubeconfig),
    ...env,
  });
}
