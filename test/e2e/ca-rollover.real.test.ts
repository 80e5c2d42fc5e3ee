// A certificate authority follows another under a real hub whose keys are encrypted, with a real agent and kubectl.
// Nothing is cut, and everybody who knew the old one learns the new one in time.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CaStatus } from "@fairlead/contract";
import { waitUntil } from "@fairlead/kernel/testing";
import { joinCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

/** Each look is a run of the CLI, which follows the authorities like anybody. */
const pollMs = 1_000;
const undo = new AsyncDisposableStack();
let folder: string;
let fleet: Fleet;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-ca-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const keyFile = join(folder, "key-encryption-key");
  await writeFile(keyFile, randomBytes(32).toString("base64"), { mode: 0o600 });
  fleet = undo.use(await startFleet({ hub: { args: ["--key-encryption-key-file", keyFile] } }));
});
afterAll(() => undo.disposeAsync());

test("from rotate to retire no stream is cut, and agent, CLI and kubectl go from the old authority to the new one", async () => {
  const { hub, joined, kubeconfig, cluster } = fleet;
  const before = join(folder, "kubeconfig-of-before");
  await copyFile(kubeconfig, before);
  const [firstLink] = await showLinks();
  using watch = startWatch();
  await expect.poll(() => watch.text).toContain("kube-root-ca.crt");

  await hub.cli(["ca", "rotate", "--renew-within", "1s"]);
  expect((await readStatus()).state).toBe("overlapping");
  const isRenewed = async () => (await readStatus()).authorities[0]?.agents === 0;
  expect(await waitUntil(isRenewed, { timeoutMs: 120_000, intervalMs: pollMs })).toBe(true);
  const { authorities } = await readStatus();
  expect(authorities).toMatchObject([
    { use: "leaving", fingerprint: hub.caFingerprint, agents: 0 },
    { use: "coming", agents: 1, clusters: ["east"] },
  ]);
  expect((await readTrusted()).match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect((await showLinks()).map(({ id }) => id)).toEqual([firstLink?.id]);
  await fleet.kubectl(["create", "configmap", "after-renewal"]);
  await expect.poll(() => watch.text).toContain("after-renewal");
  expect(await readFile(join(hub.dataDir, "pki", "next", "ca.key"), "utf8")).not.toContain("PRIVATE KEY");

  // kubectl goes by the CA of its kubeconfig: the old one alone, and both.
  const refreshed = await hub.cli(["kubeconfig", "--refresh", kubeconfig]);
  expect(refreshed.stdout).toContain("east");
  for (const file of [before, kubeconfig]) await readPods(file);

  // A hub that is started again in the middle of it goes on with both, and the agent comes back.
  await hub.stop("KILL");
  await hub.start();
  expect((await readStatus()).authorities.map(({ fingerprint }) => fingerprint)).toEqual(
    authorities.map(({ fingerprint }) => fingerprint),
  );
  expect(await waitUntil(async () => (await showLinks()).length > 0, { timeoutMs: 60_000, intervalMs: pollMs })).toBe(
    true,
  );
  const [secondLink] = await showLinks();
  expect(secondLink?.id).not.toBe(firstLink?.id);
  using second = startWatch();
  await expect.poll(() => second.text).toContain("kube-root-ca.crt");

  await hub.cli(["ca", "retire", "--yes"]);
  expect((await readStatus()).authorities).toMatchObject([
    { use: "current", fingerprint: authorities[1]?.fingerprint, agents: 1 },
  ]);
  expect((await showLinks()).map(({ id }) => id)).toEqual([secondLink?.id]);
  await fleet.kubectl(["create", "configmap", "after-retire"]);
  await expect.poll(() => second.text).toContain("after-retire");
  expect(second.exitCode).toBeNull();

  await readPods(kubeconfig);
  const refused = await cluster.kubectl(["get", "pods"], { kubeconfig: before, allowFailure: true });
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toMatch(/certificate signed by unknown authority/);

  // Cut, the agent dials a hub that shows the new authority alone.
  joined.cable.cut();
  expect(await waitUntil(async () => (await showLinks()).length === 0, { timeoutMs: 90_000, intervalMs: pollMs })).toBe(
    true,
  );
  joined.cable.heal();
  expect(await waitUntil(async () => (await showLinks()).length > 0, { timeoutMs: 90_000, intervalMs: pollMs })).toBe(
    true,
  );
  // It has forgotten the old one by now or does within the minute, so that nobody with that key can pose as the hub to it.
  await expect
    .poll(async () => (await readTrusted()).match(/BEGIN CERTIFICATE/g), { timeout: 120_000 })
    .toHaveLength(1);
  // Started again, it finds in its state what it needs.
  await joined.agent.stop();
  await joined.agent.start();
  await readPods(kubeconfig);

  await pinNew(authorities[1]?.fingerprint ?? "");
}, 400_000);

/** A sign-in and an agent that know nothing but the new authority's fingerprint. */
async function pinNew(fingerprint: string): Promise<void> {
  const { hub, agentKubeconfig } = fleet;
  const env = { FAIRLEAD_CONFIG: join(folder, "fresh.json"), FAIRLEAD_TOKEN: hub.adminToken };
  await hub.cli(["login", hub.url, "--ca-fingerprint", fingerprint], { env });
  const old = await hub.cli(["login", hub.url, "--ca-fingerprint", hub.caFingerprint], { env, allowFailure: true });
  expect(old.stderr).toContain("CLI_FINGERPRINT_MISMATCH");
  const renewed = { ...hub, caPem: await readTrusted() };
  await using west = await joinCluster({ hub: renewed, name: "west", kubeconfig: agentKubeconfig });
  expect(west.name).toBe("west");
}

async function readPods(kubeconfig: string): Promise<void> {
  await fleet.cluster.kubectl(["get", "pods", "--namespace", fleet.namespace.name], { kubeconfig });
}

async function readStatus(): Promise<CaStatus> {
  return JSON.parse((await fleet.hub.cli(["ca", "status", "--json"])).stdout) as CaStatus;
}

async function showLinks(): Promise<readonly { readonly id: string }[]> {
  return JSON.parse((await fleet.hub.cli(["cluster", "get", "east", "--json"])).stdout).links;
}

/** The CAs that the agent has stored. */
async function readTrusted(): Promise<string> {
  const text = await readFile(join(fleet.joined.agent.stateDir, "identity", "identity.json"), "utf8");
  return (JSON.parse(text) as { issued: { caPem: string } }).issued.caPem;
}

function startWatch(): Disposable & { readonly text: string; readonly exitCode: number | null } {
  const { cluster, kubeconfig, namespace } = fleet;
  const args = ["get", "configmaps", "--namespace", namespace.name, "--watch"];
  const child = spawn(cluster.kubectlPath, args, {
    env: cluster.kubectlEnv(kubeconfig),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  return {
    get text() {
      return text;
    },
    get exitCode() {
      return child.exitCode;
    },
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}
