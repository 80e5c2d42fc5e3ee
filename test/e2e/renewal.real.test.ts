// Certificates that live for a minute instead of a day, so that whole lives of them pass: one agent renews while it
// serves, another one sleeps through its certificate's end.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { waitUntil } from "@fairlead/kernel/testing";
import { describeCertificate } from "@fairlead/protocol/x509";
import { createAgentKubeconfig, type JoinedCluster, joinCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;
let sleeper: JoinedCluster;
const undo = new AsyncDisposableStack();

beforeAll(async () => {
  fleet = undo.use(await startFleet({ hub: { args: ["--certificate-ttl", "1m"] } }));
  const namespace = `agent-${crypto.randomUUID().slice(0, 8)}`;
  undo.defer(async () => {
    await fleet.cluster.api.send({ method: "DELETE", path: `/api/v1/namespaces/${namespace}` });
  });
  const kubeconfig = await createAgentKubeconfig(fleet.cluster, namespace);
  sleeper = undo.use(await joinCluster({ hub: fleet.hub, name: "west", kubeconfig }));
});
afterAll(() => undo.disposeAsync());

test.concurrent("an agent renews over its link again and again while it serves, and dials with what it got", async () => {
  const { agent, name, cable } = fleet.joined;
  const first = await readCertificate(fleet.joined);
  const [firstLink] = (await showCluster(name)).links;
  const stop = new AbortController();
  const statuses = serveUntil(stop.signal, name);

  // Twice, as the second renewal stands on a certificate that the link wasn't opened with; and until the first ended.
  const serials = new Set([first.serial]);
  const isThrough = async () => {
    serials.add((await readCertificate(fleet.joined)).serial);
    return serials.size >= 3 && Date.now() > first.notAfter;
  };
  expect(await waitUntil(isThrough, { timeoutMs: 150_000, intervalMs: 250 })).toBe(true);
  stop.abort();
  const answered = await statuses;
  expect(answered.length).toBeGreaterThan(50);
  expect(answered.filter((status) => status !== 200)).toEqual([]);
  const [link] = (await showCluster(name)).links;
  expect(link?.id).toBe(firstLink?.id);

  // Before the cut: the next renewal may become due while there is no way to the hub.
  expect(await readFile(agent.logFile, "utf8")).not.toContain("can't be renewed");
  cable.cut();
  expect(await waitUntil(async () => (await showCluster(name)).links.length === 0, { timeoutMs: 60_000 })).toBe(true);
  const latest = await readCertificate(fleet.joined);
  cable.heal();
  expect(await waitUntil(async () => (await showCluster(name)).links.length > 0, { timeoutMs: 60_000 })).toBe(true);
  const [nextLink] = (await showCluster(name)).links;
  expect(nextLink?.id).not.toBe(firstLink?.id);
  expect(Date.parse(String(nextLink?.certificateNotAfter))).toBeGreaterThanOrEqual(latest.notAfter);
}, 240_000);

test.concurrent("an agent that slept through its certificate's end says so, and a new token brings it back", async () => {
  const { agent, name } = sleeper;
  const { notAfter } = await readCertificate(sleeper);
  agent.process.signal("STOP");
  const isOver = async () => Date.now() > notAfter + 1_000 && (await showCluster(name)).links.length === 0;
  expect(await waitUntil(isOver, { timeoutMs: 150_000, intervalMs: 250 })).toBe(true);
  const absent = await requestHub(fleet.hub, `/k8s/clusters/${name}/version`);
  expect(absent.status).toBe(503);

  agent.process.signal("CONT");
  const hasSaid = async () => (await readFile(agent.logFile, "utf8")).includes("IDENTITY_EXPIRED");
  expect(await waitUntil(hasSaid, { timeoutMs: 60_000 })).toBe(true);
  expect(await readFile(agent.logFile, "utf8")).toMatch(/Create a new join token with `fairlead cluster token create`/);

  await fleet.hub.cli(["cluster", "token", "create", name, "--token-out", join(agent.stateDir, "token")]);
  const isServed = async () => (await requestHub(fleet.hub, `/k8s/clusters/${name}/version`)).status === 200;
  expect(await waitUntil(isServed, { timeoutMs: 60_000, intervalMs: 100 })).toBe(true);
}, 240_000);

async function readCertificate({ agent }: JoinedCluster): Promise<{ serial: string; notAfter: number }> {
  const text = await readFile(join(agent.stateDir, "identity", "identity.json"), "utf8");
  return describeCertificate(
    (JSON.parse(text) as { issued: { certificateChainPem: string } }).issued.certificateChainPem,
  );
}

interface ShownCluster {
  readonly links: readonly { readonly id: string; readonly certificateNotAfter: string }[];
}

async function showCluster(name: string): Promise<ShownCluster> {
  return (await requestHub(fleet.hub, `/api/v1/clusters/${name}`)).json() as ShownCluster;
}

/** Asks the cluster again and again; resolves with all the answers' statuses, 0 for none. */
async function serveUntil(signal: AbortSignal, name: string): Promise<number[]> {
  const statuses: number[] = [];
  while (!signal.aborted) {
    const answer = await requestHub(fleet.hub, `/k8s/clusters/${name}/version`).catch(() => ({ status: 0 }));
    statuses.push(answer.status);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return statuses;
}
