// The official Python client, by the kubeconfig that the hub writes: its exec and port-forward speak the WebSocket
// protocols of Kubernetes that kubectl doesn't use.
import { join } from "node:path";
import { ensurePythonClient, repoRoot, runCommand } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type PodWeb, startPodWeb } from "../fleet/pod-web.ts";
import { runPod } from "../fleet/pods.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let web: PodWeb;
/** The script's findings. */
let seen: Record<string, unknown>;

beforeAll(async () => {
  const { python, env } = await ensurePythonClient();
  web = await startPodWeb();
  fleet = await startFleet();
  const { cluster, kubeconfig, namespace } = fleet;
  await runPod(fleet, "hello");
  await cluster.writeLog({ namespace: namespace.name, pod: "hello", container: "main", text: "a line\n" });
  const script = join(repoRoot, "test", "e2e", "python-client.py");
  const { stdout } = await runCommand(python, [script, kubeconfig, namespace.name, "hello", String(web.port)], {
    env: { ...cluster.kubectlEnv(kubeconfig), ...env },
    timeoutMs: 120_000,
  });
  seen = JSON.parse(stdout) as typeof seen;
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await web?.[Symbol.asyncDispose]();
});

test("the Python client lists, and reads a log", async () => {
  const { stdout } = await fleet.cluster.kubectl(["get", "nodes", "-o", "jsonpath={.items[*].metadata.name}"]);
  expect(seen["nodes"]).toEqual(stdout.split(" "));
  expect(seen["log"]).toBe("a line\n");
});

test("the Python client watches changes as they happen", () => {
  expect(seen["events"]).toEqual(["ADDED", "DELETED"]);
});

test("the Python client gets a command's exit code and both of its outputs, and sends it a megabyte", () => {
  expect(seen["exec"]).toEqual({ stdout: "out\n", stderr: "err\n", code: 7 });
  expect(seen["stdinArrived"]).toBe(true);
});

test("the Python client forwards a port", () => {
  expect(seen["forward"]).toEqual({ answer: expect.stringContaining("served /from-python"), error: null });
});
