// Secrets of clusters in a real cluster, for an account of a real hub's room of rights.
import { systemClock } from "@fairlead/kernel";
import { createKubeClient, type KubeObject, loadKubeconfig } from "@fairlead/kube";
import { argoCaller } from "@fairlead/protocol";
import { type ClusterAccess, createNamespace, sharedCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type AccessHarness, startAccess } from "../../../people/access/access-harness.fixture.ts";
import { createOwnRobot } from "../../../people/access/index.ts";
import { createMemoryAdapter, openBus } from "../../../platform/bus/index.ts";
import { openLeases } from "../../../platform/leases/index.ts";
import { createLogger } from "../../../platform/telemetry/index.ts";
import { argoRole, argoTokenTtlMs, keepClusterSecrets } from "./index.ts";

const undo = new AsyncDisposableStack();
const clusters = new Set<string>();
const lines: string[] = [];
const patience = { timeout: 60_000, interval: 50 };
let harness: AccessHarness;
let cluster: ClusterAccess;
let namespace = "";
let caPem = "first";
let env = "test";

beforeAll(async () => {
  cluster = await sharedCluster();
  harness = undo.use(await startAccess());
  namespace = undo.use(await createNamespace(cluster, "argo")).name;
  const client = undo.use(createKubeClient({ access: await loadKubeconfig({ path: cluster.adminKubeconfig }) }));
  const log = createLogger({ level: "warn", name: "hub", destination: { write: (line) => void lines.push(line) } });
  const { access, clock, store } = harness;
  const about = { hubInstanceId: "hub_1", clock: systemClock, log };
  const bus = undo.use(await openBus({ adapter: createMemoryAdapter(), ...about }));
  const leases = undo.use(openLeases({ db: store.db, bus, ...about }));
  const robot = createOwnRobot({
    access,
    clock,
    name: argoCaller.robot,
    owner: "hub",
    description: "",
    role: argoRole,
    tokenTtlMs: argoTokenTtlMs,
  });
  undo.use(
    keepClusterSecrets({
      client,
      namespace,
      hubUid: "uid-1",
      robot,
      leases,
      log,
      clock: systemClock,
      intervalMs: 50,
      listPlaces: async () =>
        new Map(
          [...clusters].map((name) => [
            name,
            { server: `https://hub.example.com/k8s/clusters/${name}`, caPem, labels: { env } },
          ]),
        ),
    }),
  );
});
afterAll(() => undo.disposeAsync());

test("a cluster that exchanges applications is shown to Argo CD, by a token for it alone", async () => {
  clusters.add("east");
  const secret = await untilSecret("east", () => true);
  expect(secret.metadata.labels?.["argocd.argoproj.io/secret-type"]).toBe("cluster");
  expect(secret.metadata.annotations?.["argocd.argoproj.io/skip-reconcile"]).toBe("true");
  expect([read(secret, "name"), read(secret, "server")]).toEqual(["east", "https://hub.example.com/k8s/clusters/east"]);
  expect(Buffer.from(configOf(secret).tlsClientConfig.caData, "base64").toString()).toBe("first");
  const principal = await harness.access.authenticate(`Bearer ${tokenOf(secret)}`);
  expect(principal).toMatchObject({ name: `robot:${argoCaller.robot}`, scope: { clusters: ["east"] } });
});

test("the token is followed by another in time, and is over then", async () => {
  const before = tokenOf(await untilSecret("east", () => true));
  harness.clock.move(argoTokenTtlMs / 2);
  const after = tokenOf(await untilSecret("east", (secret) => tokenOf(secret) !== before));
  await harness.access.authenticate(`Bearer ${after}`);
  await untilOver(before);
});

test("an authority that follows another is told with the same token", async () => {
  const before = tokenOf(await untilSecret("east", () => true));
  caPem = "second";
  const isNew = (secret: KubeObject) => configOf(secret).tlsClientConfig.caData === toBase64("second");
  expect(tokenOf(await untilSecret("east", isNew))).toBe(before);
});

test("a cluster's labels are its Secret's, with the same token", async () => {
  const before = tokenOf(await untilSecret("east", ({ metadata }) => metadata.labels?.["env"] === "test"));
  env = "prod";
  expect(tokenOf(await untilSecret("east", ({ metadata }) => metadata.labels?.["env"] === "prod"))).toBe(before);
});

test("what somebody changes or deletes is put back", async () => {
  const { metadata } = await untilSecret("east", () => true);
  const body = { data: { config: toBase64('{"bearerToken":"flb_stolen"}') } };
  const contentType = "application/merge-patch+json";
  await cluster.api.json({ method: "PATCH", path: pathOf(metadata.name), body, contentType });
  await untilSecret("east", (secret) => tokenOf(secret) !== "flb_stolen");
  await cluster.api.json({ method: "DELETE", path: pathOf(metadata.name) });
  await untilSecret("east", (secret) => secret.metadata.uid !== metadata.uid);
});

test("somebody else's Secret of the name is left alone, and the log says so once", async () => {
  const name = "fairlead-cluster-west";
  const body = { metadata: { name }, data: { name: toBase64("by hand") } };
  const made = await cluster.api.json<KubeObject>({ method: "POST", path: pathOf(""), body });
  clusters.add("west");
  const told = () => lines.filter((line) => line.includes("GITOPS_CLUSTER_SECRET_TAKEN"));
  await vi.waitFor(() => expect(told()).toHaveLength(1), patience);
  clusters.add("south");
  await untilSecret("south", () => true);
  clusters.delete("west");
  await vi.waitFor(async () => expect(told()).toHaveLength(1), patience);
  const now = await cluster.api.json<KubeObject>({ path: pathOf(name) });
  expect(now.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
});

test("a cluster that is gone is gone for Argo CD, and its token with it", async () => {
  const token = tokenOf(await untilSecret("south", () => true));
  clusters.delete("south");
  await untilOver(token);
  expect((await cluster.api.send({ path: pathOf("fairlead-cluster-south") })).status).toBe(404);
  await untilSecret("east", () => true);
});

async function untilSecret(name: string, is: (secret: KubeObject) => boolean): Promise<KubeObject> {
  return await vi.waitFor(async () => {
    const secret = await cluster.api.json<KubeObject>({ path: pathOf(`fairlead-cluster-${name}`) });
    expect(is(secret)).toBe(true);
    return secret;
  }, patience);
}

async function untilOver(token: string): Promise<void> {
  const authenticate = async () => await harness.access.authenticate(`Bearer ${token}`);
  await vi.waitFor(() => expect(authenticate()).rejects.toMatchObject({ code: "AUTH_INVALID" }), patience);
}

function pathOf(name: string): string {
  return `/api/v1/namespaces/${namespace}/secrets${name === "" ? "" : `/${name}`}`;
}

function read(secret: KubeObject, key: string): string {
  return Buffer.from((secret["data"] as Record<string, string>)[key] ?? "", "base64").toString();
}

function configOf(secret: KubeObject) {
  return JSON.parse(read(secret, "config")) as {
    readonly bearerToken: string;
    readonly tlsClientConfig: { readonly caData: string };
  };
}

function tokenOf(secret: KubeObject): string {
  return configOf(secret).bearerToken;
}

function toBase64(text: string): string {
  return Buffer.from(text).toString("base64");
}
