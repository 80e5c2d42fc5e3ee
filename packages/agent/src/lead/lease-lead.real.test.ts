// The Lease as a real API server keeps it.
import { systemClock } from "@fairlead/kernel";
import { createKubeClient, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { createNamespace, sharedCluster, type TestNamespace } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Lease } from "./lease.ts";
import { createLeaseLead } from "./lease-lead.ts";
import type { Lead } from "./types.ts";

let namespace: TestNamespace;
let client: KubeClient;
const patience = { timeout: 60_000, interval: 50 };
const times = { durationMs: 3_000, renewDeadlineMs: 2_000, retryMs: 200 };

beforeAll(async () => {
  const cluster = await sharedCluster();
  namespace = await createNamespace(cluster);
  const access = await loadKubeconfig({ path: cluster.adminKubeconfig });
  client = createKubeClient({ access: { ...access, namespace: namespace.name } });
});
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await namespace?.[Symbol.asyncDispose]();
});

test.each([
  ["that nobody made", undefined],
  ["that the chart made empty", {}],
])("a Lease %s is taken, handed over when its holder stops, and never held by two", async (_which, made) => {
  const name = made === undefined ? "new" : "empty";
  if (made) await create(name);
  const first = stand(name, "first");
  const { epoch, signal } = await first.lead.untilLeading(AbortSignal.timeout(10_000));
  const second = stand(name, "second");
  await vi.waitFor(async () => expect((await read(name)).spec?.holderIdentity).toBe("first"), patience);
  expect(second.lead.current).toBeUndefined();

  await first.stop();
  expect(signal.aborted).toBe(true);
  const next = await second.lead.untilLeading(AbortSignal.timeout(10_000));
  expect(next.epoch).toBeGreaterThan(epoch);
  expect((await read(name)).spec).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
  await second.stop();
  expect((await read(name)).spec?.holderIdentity).toBeUndefined();
});

test("a Lease that is taken away ends the lead, and one that is deleted is made anew with a higher epoch", async () => {
  const only = stand("taken", "only");
  const first = await only.lead.untilLeading(AbortSignal.timeout(10_000));
  await client.request({ method: "DELETE", path: pathOf("taken") });
  await vi.waitFor(() => expect(first.signal.aborted).toBe(true), patience);
  const again = await only.lead.untilLeading(AbortSignal.timeout(10_000));
  expect(again.epoch).toBeGreaterThan(first.epoch);

  await vi.waitFor(async () => {
    const lease = await read("taken");
    await client.request({
      method: "PUT",
      path: pathOf("taken"),
      body: { ...lease, spec: { ...lease.spec, holderIdentity: "thief", leaseDurationSeconds: 60 } },
    });
  }, patience);
  await vi.waitFor(() => expect(again.signal.aborted).toBe(true), patience);
  expect(only.lead.current).toBeUndefined();
  await only.stop();
  expect((await read("taken")).spec?.holderIdentity).toBe("thief");
});

function stand(name: string, identity: string): { lead: Lead; stop(): Promise<void> } {
  const stopping = new AbortController();
  const log = { info: () => undefined, warn: () => undefined };
  const lead = createLeaseLead({ client, name, identity, clock: systemClock, log, times });
  const running = lead.run(stopping.signal);
  return {
    lead,
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

function create(name: string): Promise<unknown> {
  const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name } };
  return client.request({ method: "POST", path: pathOf(""), body });
}

function read(name: string): Promise<Lease> {
  return client.request<Lease>({ path: pathOf(name) });
}

function pathOf(name: string): string {
  return `/apis/coordination.k8s.io/v1/namespaces/${namespace.name}/leases${name && `/${name}`}`;
}
