// Observes a real API server: kinds that come and go, values that stay, rights that are withdrawn.
import { systemClock } from "@fairlead/kernel";
import { createKubeClient, discoverApis, type KubeClient, loadKubeconfig } from "@fairlead/kube";
import { type LeasedCluster, leaseCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { KindChoice } from "./choose-kinds.ts";
import { createObserveCounters } from "./counters.ts";
import { createObservedFeed } from "./feed.ts";
import type { ObservedFeed, ObservedKind, ObserveHandler } from "./types.ts";

let cluster: LeasedCluster;
const patience = { timeout: 60_000, interval: 100 };

beforeAll(async () => {
  cluster = await leaseCluster({ name: "observe" });
  await cluster.kubectl(["create", "namespace", "team-a"]);
  await cluster.kubectl(["create", "namespace", "team-b"]);
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

test("all default kinds that the cluster has are listed, and the copy follows what happens", async () => {
  await using seen = await observe({});
  await vi.waitFor(() => expect(seen.feed.isSynced()).toBe(true), patience);
  expect(seen.isComplete).toBe(true);
  expect([...seen.kinds.keys()]).toEqual(
    expect.arrayContaining(["nodes", "pods", "deployments.apps", "customresourcedefinitions.apiextensions.k8s.io"]),
  );
  expect(seen.kinds.get("deployments.apps")).toMatchObject({ kind: "Deployment", shortNames: ["deploy"] });
  expect(seen.names("namespaces")).toContain("/team-a");

  await cluster.kubectl(["-n", "team-a", "create", "deployment", "web", "--image=any", "--replicas=2"]);
  await vi.waitFor(() => {
    expect(seen.names("deployments.apps")).toEqual(["team-a/web"]);
    expect(seen.names("pods").filter((name) => name.startsWith("team-a/web-"))).toHaveLength(2);
    expect(seen.names("events").some((name) => name.startsWith("team-a/web"))).toBe(true);
  }, patience);
  const pod = seen.objects("pods")[0] as Record<string, Record<string, unknown>>;
  expect([pod["apiVersion"], pod["kind"], pod["metadata"]?.["managedFields"]]).toEqual(["v1", "Pod", undefined]);
  await cluster.kubectl(["-n", "team-a", "delete", "deployment", "web"]);
  await vi.waitFor(() => expect(seen.names("pods").filter((name) => name.startsWith("team-a/"))).toEqual([]), patience);
});

test("a CRD that comes is observed with its columns, one that goes is forgotten, and one that comes again is new", async () => {
  await using seen = await observe({ include: ["*.example.com"] });
  await vi.waitFor(() => expect(seen.feed.isSynced()).toBe(true), patience);
  for (let time = 0; time < 2; time++) {
    await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(crd) });
    await vi.waitFor(() => expect(seen.kinds.get("things.example.com")?.printerColumns).toHaveLength(1), patience);
    const thing = { apiVersion: "example.com/v1", kind: "Thing", metadata: { name: "one", namespace: "team-a" } };
    await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(thing) });
    await vi.waitFor(() => expect(seen.names("things.example.com")).toEqual(["team-a/one"]), patience);
    await cluster.kubectl(["delete", "crd", "things.example.com"]);
    await vi.waitFor(() => expect(seen.kinds.has("things.example.com")).toBe(false), patience);
  }
  expect(seen.unavailable.size).toBe(0);
});

test("a kind that one look at discovery lacks stays, as of an API server that just started", async () => {
  let looks = 0;
  await using seen = await observe({}, cluster.adminKubeconfig, async (client, signal) => {
    const { resources, unavailable } = await discoverApis({ client, signal });
    looks++;
    return { resources: resources.filter(({ resource }) => looks !== 2 || resource !== "deployments"), unavailable };
  });
  await vi.waitFor(() => expect(seen.feed.isSynced()).toBe(true), patience);
  await vi.waitFor(() => expect(looks).toBeGreaterThan(2), patience);
  expect(seen.kinds.has("deployments.apps")).toBe(true);
  expect(seen.gone).toEqual([]);
});

test("no byte of a Secret's or a ConfigMap's value is in what is observed, whatever happens to it", async () => {
  await using seen = await observe({ include: ["secrets", "configmaps"], exclude: ["*"] });
  const secret = (password: string): string =>
    JSON.stringify({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "db", namespace: "team-a" },
      stringData: { password },
    });
  await cluster.kubectl(["apply", "-f", "-"], { input: secret("hunter2-first") });
  await cluster.kubectl(["-n", "team-a", "create", "configmap", "conf", "--from-literal=key=hunter2-conf"]);
  await vi.waitFor(() => expect(seen.names("secrets")).toContain("team-a/db"), patience);
  const versions = new Set([seen.version("secrets", "team-a/db")]);
  await cluster.kubectl(["apply", "-f", "-"], { input: secret("hunter2-second") });
  await vi.waitFor(() => expect(versions.has(seen.version("secrets", "team-a/db"))).toBe(false), patience);
  await vi.waitFor(() => expect(seen.names("configmaps")).toContain("team-a/conf"), patience);
  const refs = [...seen.of("secrets").values()];
  for await (const found of seen.feed.fetcher.fetch("secrets", refs, AbortSignal.timeout(10_000))) {
    if (!("gone" in found)) seen.bytes.push(Buffer.from(found.json).toString("utf8"));
  }
  const all = seen.bytes.join("\n");
  expect(all).toContain("password");
  for (const text of ["hunter2", Buffer.from("hunter2-first").toString("base64").slice(0, 10)]) {
    expect(all).not.toContain(text);
  }
});

test("with namespaces only theirs is read, with no right beyond a Role in each; a right withdrawn makes its kind unknown", async () => {
  await cluster.kubectl(["create", "serviceaccount", "reader", "-n", "team-a"]);
  for (const namespace of ["team-a", "team-b"]) {
    for (const resource of ["pods", "limitranges"]) {
      await cluster.kubectl([
        "-n",
        namespace,
        "create",
        "role",
        `read-${resource}`,
        "--verb=get,list,watch",
        `--resource=${resource}`,
      ]);
      await cluster.kubectl([
        "-n",
        namespace,
        "create",
        "rolebinding",
        `read-${resource}`,
        `--role=read-${resource}`,
        "--serviceaccount=team-a:reader",
      ]);
    }
  }
  const kubeconfig = await cluster.kubeconfigForServiceAccount({ namespace: "team-a", name: "reader" });
  const choice = { include: ["pods", "limitranges"], exclude: ["*"], namespaces: ["team-a", "team-b"] };
  await using seen = await observe(choice, kubeconfig);
  await vi.waitFor(() => expect(seen.feed.isSynced()).toBe(true), patience);
  expect([...seen.kinds.keys()]).toEqual(["pods", "limitranges"]);
  for (const namespace of ["team-a", "team-b", "default"]) {
    await cluster.kubectl(["-n", namespace, "run", "probe", "--image=any"]);
  }
  await vi.waitFor(() => expect(seen.names("pods")).toEqual(["team-a/probe", "team-b/probe"]), patience);

  await cluster.kubectl(["-n", "team-b", "delete", "rolebinding", "read-limitranges"]);
  // A watch that is open goes on until it ends; one that begins is refused.
  await using again = await observe(choice, kubeconfig);
  await vi.waitFor(() => expect(again.unavailable.get("limitranges")?.code).toBe("KUBE_FORBIDDEN"), patience);
  await vi.waitFor(() => expect(again.names("pods")).toEqual(["team-a/probe", "team-b/probe"]), patience);
  await cluster.kubectl([
    "-n",
    "team-b",
    "create",
    "rolebinding",
    "read-limitranges",
    "--role=read-limitranges",
    "--serviceaccount=team-a:reader",
  ]);
  const range = {
    apiVersion: "v1",
    kind: "LimitRange",
    metadata: { name: "r", namespace: "team-b" },
    spec: { limits: [] },
  };
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify(range) });
  await vi.waitFor(() => {
    expect(again.names("limitranges")).toEqual(["team-b/r"]);
    expect(again.unavailable.size).toBe(0);
  }, patience);
});

test("objects are read again: few by name, many by a list, and what is gone is said", async () => {
  await using seen = await observe({ include: ["configmaps"], exclude: ["*"] });
  const names = Array.from({ length: 80 }, (_, index) => `many-${index}`);
  const list = { apiVersion: "v1", kind: "List", items: names.map((name) => configMap(name)) };
  await cluster.kubectl(["-n", "team-b", "apply", "-f", "-"], { input: JSON.stringify(list) });
  await vi.waitFor(
    () => expect(seen.names("configmaps").filter((name) => name.includes("/many-"))).toHaveLength(80),
    patience,
  );
  await cluster.kubectl(["-n", "team-b", "delete", "configmap", "many-7"]);
  const refs = [...seen.of("configmaps").values()].filter(({ name }) => name.startsWith("many-"));
  const known = [
    ...refs.filter(({ name }) => name !== "many-7"),
    { uid: "other", namespace: "team-b", name: "many-7" },
  ];
  for (const some of [known.slice(-3), known]) {
    const found: object[] = [];
    for await (const one of seen.feed.fetcher.fetch("configmaps", some, AbortSignal.timeout(20_000))) found.push(one);
    expect(found.filter((one) => "gone" in one)).toEqual([{ uid: "other", gone: true }]);
    expect(found).toHaveLength(some.length);
  }
});

interface Seen extends AsyncDisposable {
  readonly feed: ObservedFeed;
  readonly kinds: Map<string, ObservedKind>;
  readonly unavailable: Map<string, { code: string }>;
  readonly bytes: string[];
  /** Kinds that went. */
  readonly gone: string[];
  readonly isComplete: boolean;
  of(key: string): ReadonlyMap<string, { uid: string; namespace: string; name: string; version: bigint; text: string }>;
  names(key: string): string[];
  objects(key: string): unknown[];
  version(key: string, name: string): bigint | undefined;
}

/** Keeps a copy, as whoever consumes the feed does. */
async function observe(
  choice: Partial<KindChoice>,
  kubeconfig = cluster.adminKubeconfig,
  discover = (client: KubeClient, signal: AbortSignal) => discoverApis({ client, signal }),
): Promise<Seen> {
  const client: KubeClient = createKubeClient({ access: await loadKubeconfig({ path: kubeconfig }) });
  const stopping = new AbortController();
  const log = { info: () => undefined, warn: () => undefined };
  const feed = createObservedFeed({
    client,
    discover: (signal) => discover(client, signal),
    choice: { include: [], exclude: [], namespaces: [], ...choice },
    rules: { envValues: "mask", maxObjectBytes: 256 * 1024 },
    salt: async () => Buffer.alloc(32, 1),
    counters: createObserveCounters(),
    clock: { ...systemClock, after },
    log,
  });
  const copies = new Map<
    string,
    Map<string, { uid: string; namespace: string; name: string; version: bigint; text: string }>
  >();
  const named = new Map<string, Set<string>>();
  const copyOf = (key: string) => copies.get(key) ?? new Map();
  const self = {
    kinds: new Map<string, ObservedKind>(),
    unavailable: new Map<string, { code: string }>(),
    bytes: [] as string[],
    gone: [] as string[],
  };
  let isComplete = false;
  const handler: ObserveHandler = {
    onKind: (kind) => {
      self.kinds.set(kind.key, kind);
      if (!copies.has(kind.key)) copies.set(kind.key, new Map());
    },
    onKindGone: (key) => {
      self.kinds.delete(key);
      self.unavailable.delete(key);
      self.gone.push(key);
      copies.delete(key);
    },
    onKindsComplete: () => {
      isComplete = true;
    },
    onListStart: (key) => void named.set(key, new Set()),
    onObject: (key, object) => {
      named.get(key)?.add(object.uid);
      void handler.onApplied(key, object);
    },
    onListed: (key) => {
      self.unavailable.delete(key);
      for (const uid of copyOf(key).keys()) if (!named.get(key)?.has(uid)) copyOf(key).delete(uid);
      named.delete(key);
    },
    onApplied: (key, { json, ...object }) => {
      named.get(key)?.add(object.uid);
      const text = Buffer.from(json).toString("utf8");
      self.bytes.push(text);
      copyOf(key).set(object.uid, { ...object, text });
    },
    onDeleted: (key, uid) => {
      named.get(key)?.delete(uid);
      copyOf(key).delete(uid);
    },
    onAlive: () => undefined,
    onUnavailable: (key, error) => void self.unavailable.set(key, error),
  };
  const running = feed.run(handler, stopping.signal);
  return {
    ...self,
    feed,
    get isComplete() {
      return isComplete;
    },
    of: copyOf,
    names: (key) => [...copyOf(key).values()].map(({ namespace, name }) => `${namespace}/${name}`).sort(),
    objects: (key) => [...copyOf(key).values()].map(({ text }) => JSON.parse(text)),
    version: (key, name) => [...copyOf(key).values()].find((of) => `${of.namespace}/${of.name}` === name)?.version,
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await running;
      await client[Symbol.asyncDispose]();
    },
  };
}

function after(delayMs: number, callback: () => void): () => void {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
}

function configMap(name: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "team-b" }, data: { key: name } };
}

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
        additionalPrinterColumns: [{ name: "Size", type: "string", jsonPath: ".spec.size" }],
      },
    ],
  },
};
