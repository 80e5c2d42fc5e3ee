// A hub that keeps nothing, as a process: its files, its authority and its agents are all that is left when it is killed.
import { createHash } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { createAuthority } from "@fairlead/protocol/x509";
import { createAgentKubeconfig, sharedCluster, startAgent, startHub, type TestHub } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";

const token = `flb_${"7".repeat(52)}`;
const undo = new AsyncDisposableStack();
let folder: string;
let hub: TestHub;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fairlead-declared-"));
  undo.defer(() => rm(folder, { recursive: true, force: true }));
  const { caPem, keyPem } = await createAuthority({ commonName: "from a Secret", days: 1 });
  await Promise.all([write("ca.pem", caPem), write("ca.key", keyPem), write("hub.yaml", declarations)]);
  const authority = ["--ca-cert-file", join(folder, "ca.pem"), "--ca-key-file", join(folder, "ca.key")];
  hub = undo.use(await startHub({ args: ["--in-memory", "--declarations", folder, ...authority] }));
});
afterAll(() => undo.disposeAsync());

test("killed and started from nothing it has its agent, the live picture and the robot's rights again", async () => {
  const cluster = await sharedCluster();
  const namespace = `agent-${crypto.randomUUID().slice(0, 8)}`;
  undo.defer(async () => {
    await cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` });
  });
  const kubeconfig = await createAgentKubeconfig(cluster, namespace);
  const tokenFile = join(folder, "join-token");
  await hub.cli(["cluster", "token", "create", "east", "--token-out", tokenFile]);
  const args = ["--roles", "proxy,observe"];
  const agent = undo.use(await startAgent({ name: "east", hubUrl: hub.agentUrl, tokenFile, kubeconfig, args }));
  expect(await waitUntil(isServed, { timeoutMs: 60_000, intervalMs: 100 })).toBe(true);
  expect(await waitUntil(isPictured, { timeoutMs: 60_000, intervalMs: 100 })).toBe(true);
  const identity = await readIdentity(agent.stateDir);

  await hub.stop("KILL");
  // A hub that would let it in by a token wouldn't show anything.
  await rm(tokenFile);
  await hub.start();
  expect(await waitUntil(isServed, { timeoutMs: 60_000, intervalMs: 100 })).toBe(true);
  expect(await waitUntil(isPictured, { timeoutMs: 60_000, intervalMs: 100 })).toBe(true);
  expect(await readIdentity(agent.stateDir)).toBe(identity);
  // Audit records are lines of its log.
  const audited = (await readFile(hub.logFile, "utf8")).split("\n").filter((line) => line.includes('"robot:ci"'));
  expect(audited.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining({ cluster: "east" }));

  await write("hub.yaml", declarations.replace("name: east", "name: east\nidentityEpoch: 1"));
  const isRefused = async () => (await readFile(agent.logFile, "utf8")).includes("IDENTITY_REVOKED");
  expect(await waitUntil(isRefused, { timeoutMs: 60_000, intervalMs: 100 })).toBe(true);
  expect(await isServed()).toBe(false);
}, 180_000);

function isServed(): Promise<boolean> {
  return isFound("/k8s/clusters/east/api/v1/namespaces/kube-system");
}

function isPictured(): Promise<boolean> {
  return isFound("/api/v1/clusters/east/objects/namespaces/-/kube-system", "kube-system");
}

async function isFound(path: string, part = ""): Promise<boolean> {
  const answer = await requestHub(hub, path, { headers: { authorization: `Bearer ${token}` } }).catch(() => undefined);
  return answer?.status === 200 && answer.text.includes(part);
}

async function readIdentity(stateDir: string): Promise<string> {
  return await readFile(join(stateDir, "identity", "identity.json"), "utf8");
}

async function write(name: string, text: string): Promise<void> {
  await writeFile(join(folder, name), text, { mode: 0o600 });
}

const declarations = `apiVersion: fairlead.dev/v1
kind: Cluster
name: east
roles: [proxy, observe]
---
apiVersion: fairlead.dev/v1
kind: Robot
name: ci
tokens:
  - sha256: ${createHash("sha256").update(token).digest("hex")}
    expiresAt: 2099-01-01T00:00:00Z
---
apiVersion: fairlead.dev/v1
kind: Binding
name: ci
subject: { kind: robot, name: ci }
role: viewer
clusters: { names: [east] }
`;
