// The charts refuse wrong values before anything reaches a cluster, and say where they stand.
import type { ChartName, Manifest } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type ChartRenderer, openRenderer } from "../fleet/render-charts.ts";

const token = `flj_${"a".repeat(8)}_${"b".repeat(26)}_${"c".repeat(64)}`;

const several = {
  replicas: 2,
  database: { existingSecret: "a" },
  authority: { keyEncryptionKey: { existingSecret: "b" } },
  networkPolicy: { databasePort: 5_432 },
};

const inMesh = { identity: "mesh", token: { existingSecret: "" } };
const meshed = {
  meshIdentityHeader: "x-forwarded-client-cert",
  meshIdentityPattern: "spiffe://x/(?<cluster>[a-z]+)",
  meshIdentityPeers: ["127.0.0.6"],
};
const agentsFrom = [{ namespaceSelector: {} }];

let charts: ChartRenderer;
beforeAll(async () => {
  charts = await openRenderer();
});
afterAll(() => charts?.[Symbol.asyncDispose]());

test.each<[ChartName, string, object, string]>([
  ["fairlead-agent", "no hub", { hub: { url: "" } }, "/hub/url"],
  ["fairlead-agent", "a hub without TLS", { hub: { url: "http://hub.example.com" } }, "/hub/url"],
  ["fairlead-agent", "a hub with a password", { hub: { url: "https://me:word@hub.example.com" } }, "/hub/url"],
  ["fairlead-agent", "a misspelled value", { hub: { ulr: "https://hub.example.com" } }, "ulr"],
  ["fairlead-agent", "a misspelled part", { netwrokPolicy: {} }, "netwrokPolicy"],
  ["fairlead-agent", "no replica", { proxy: { replicas: 0 } }, "/proxy/replicas"],
  ["fairlead-agent", "half a replica", { proxy: { replicas: 1.5 } }, "/proxy/replicas"],
  [
    "fairlead-agent",
    "system:masters",
    { proxy: { impersonate: { groups: ["system:masters"] } } },
    "/proxy/impersonate",
  ],
  ["fairlead-agent", "a system user", { proxy: { impersonate: { users: ["system:admin"] } } }, "/proxy/impersonate"],
  ["fairlead-agent", "a fourth group", { proxy: { defaultGroups: { kings: { enabled: true } } } }, "kings"],
  ["fairlead-agent", "an unknown rule", { proxy: { policy: { readonly: true } } }, "readonly"],
  ["fairlead-agent", "a verb that is none", { proxy: { policy: { verbs: { deny: ["exec"] } } } }, "/policy/verbs"],
  ["fairlead-agent", "a bare resource", { proxy: { policy: { resources: { deny: ["pods"] } } } }, "/policy/resources"],
  ["fairlead-agent", "a privileged port", { health: { port: 80 } }, "/health/port"],
  ["fairlead-agent", "a tag that is none", { image: { tag: "a b" } }, "/image/tag"],
  ["fairlead-agent", "a short digest", { image: { digest: "sha256:abc" } }, "/image/digest"],
  [
    "fairlead-agent",
    "a short digest for commands",
    { execute: { enabled: true, image: { digest: "sha256:abc" } } },
    "/execute/image/digest",
  ],
  ["fairlead-agent", "a registry of its own", { execute: { image: { registry: "a" } } }, "registry"],
  [
    "fairlead-agent",
    "a mirror in the clear",
    { execute: { tofu: { providerMirror: "http://x/" } } },
    "/execute/tofu/providerMirror",
  ],
  ["fairlead-agent", "a folder without end", { execute: { folderSizeLimit: "" } }, "/execute/folderSizeLimit"],
  ["fairlead-agent", "a peer that is none", { networkPolicy: { hubPeers: [{ cidr: "10.0.0.0/8" }] } }, "/hubPeers/0"],
  ["fairlead-agent", "no token", { token: { existingSecret: "" } }, "token: set token.existingSecret"],
  ["fairlead-agent", "two tokens", { token: { value: token } }, "not both"],
  ["fairlead-agent", "two bundles", { hub: { caBundle: { configMap: "a", system: true } } }, "set one of"],
  ["fairlead-agent", "an unknown port", { hub: { httpsProxy: { existingSecret: "a" } } }, "networkPolicy.hubPorts"],
  ["fairlead-agent", "the default account", { proxy: { serviceAccount: { create: false } } }, "serviceAccount.name"],
  ["fairlead-agent", "a kind that is none", { observe: { include: ["Pods"] } }, "/observe/include"],
  ["fairlead-agent", "a namespace that is none", { observe: { namespaces: ["*"] } }, "/observe/namespaces"],
  [
    "fairlead-agent",
    "a port that is none",
    { observe: { doctor: { probes: { prometheus: [{ namespace: "a", ports: [0] }] } } } },
    "/observe/doctor/probes/prometheus/0/ports/0",
  ],
  ["fairlead-agent", "values shown by half", { observe: { envValues: "hash" } }, "/observe/envValues"],
  ["fairlead-agent", "too much at once", { execute: { parallel: 17 } }, "/execute/parallel"],
  ["fairlead-agent", "an unknown kind of command", { execute: { policy: { execute: { kinds: ["sh"] } } } }, "/kinds/0"],
  [
    "fairlead-agent",
    "commands in its own namespace",
    { execute: { enabled: true, rights: { namespaces: ["default"] } } },
    "not the release's own",
  ],
  [
    "fairlead-hub",
    "Argo CD in two places",
    { argo: { inCluster: true, kubeconfig: { existingSecret: "a" } } },
    "not both",
  ],
  ["fairlead-hub", "a Redis shared with nobody", { argo: { shared: { redis: "redis:6379" } } }, "go together"],
  ["fairlead-hub", "nothing to share", { argo: { shared: { clusters: ["east"] } } }, "go together"],
  [
    "fairlead-agent",
    "a Redis of the hub for everybody",
    { gitops: { enabled: true, hubBackends: { redis: { enabled: true }, from: [] } } },
    "hubBackends.from",
  ],
  ["fairlead-hub", "Secrets for no Argo CD", { argo: { clusterSecrets: { enabled: true } } }, "no Argo CD"],
  ["fairlead-agent", "nothing to observe", { observe: { enabled: true, exclude: ["*"] } }, "nothing is left"],
  ["fairlead-agent", "the cluster's own namespace", { namespaces: ["kube-system"] }, "/namespaces/0"],
  ["fairlead-agent", "a namespace with a star", { namespaces: ["shop-*"] }, "/namespaces/0"],
  ["fairlead-agent", "a gateway of no kind", { gateway: { name: "public" } }, "gateway.kind"],
  ["fairlead-agent", "an unknown gateway", { gateway: { kind: "nginx", name: "public" } }, "/gateway/kind"],
  ["fairlead-agent", "a gateway without a name", { gateway: { kind: "istio" } }, "gateway.name"],
  ["fairlead-agent", "a gateway nowhere", { gateway: { kind: "istio", name: "public" } }, "gateway.namespace"],
  [
    "fairlead-agent",
    "an IngressClass in a namespace",
    { gateway: { kind: "ingress", name: "nginx", namespace: "web" } },
    "gateway.namespace",
  ],
  ["fairlead-agent", "an unknown identity", { identity: "none" }, "/identity"],
  ["fairlead-agent", "a mesh and a token", { identity: "mesh" }, "nobody enrolls"],
  [
    ...(["fairlead-agent", "a mesh and nothing to trust"] as const),
    { identity: "mesh", token: { existingSecret: "" } },
    "hub.caBundle",
  ],
  [
    ...(["fairlead-agent", "a mesh and another proxy"] as const),
    { ...inMesh, hub: { url: "http://hub.fairlead.svc:8444", httpsProxy: { url: "http://proxy:3128" } } },
    "hub.httpsProxy",
  ],
  ["fairlead-hub", "a mesh that anybody may pose as", { config: meshed }, "networkPolicy.agentsFrom"],
  [
    "fairlead-hub",
    "a mesh without peers",
    { config: { ...meshed, meshIdentityPeers: undefined } },
    "meshIdentityPeers",
  ],
  [
    "fairlead-hub",
    "a mesh of everybody",
    { config: { ...meshed, meshIdentityPeers: ["0.0.0.0/0"] } },
    "/config/meshId",
  ],
  ["fairlead-hub", "a mesh without clusters", { config: { ...meshed, meshIdentityPattern: "x" } }, "/config/meshId"],
  [
    ...(["fairlead-hub", "a mesh and a challenge"] as const),
    { config: { ...meshed, agentTrust: "challenge" }, networkPolicy: { agentsFrom } },
    "agentTrust",
  ],
  [
    ...(["fairlead-hub", "two replicas without TLS"] as const),
    {
      ...several,
      config: { ...meshed, meshIdentityPlaintext: true },
      networkPolicy: { databasePort: 5_432, agentsFrom },
    },
    "meshIdentityPlaintext",
  ],
  ["fairlead-hub", "agents without TLS", { agentPublicUrl: "http://hub.example.com:8444" }, "meshIdentityPlaintext"],
  ["fairlead-hub", "no address", { publicUrl: "" }, "/publicUrl"],
  ["fairlead-hub", "an address with a path", { publicUrl: "https://hub.example.com/fairlead" }, "/publicUrl"],
  ["fairlead-hub", "no replica", { replicas: 0 }, "/replicas"],
  ["fairlead-hub", "two replicas without a database", { replicas: 2 }, "name that by database.existingSecret"],
  [
    ...(["fairlead-hub", "two replicas without a key for the authority"] as const),
    { replicas: 2, database: { existingSecret: "a" } },
    "name that by authority.keyEncryptionKey.existingSecret",
  ],
  [
    ...(["fairlead-hub", "two replicas that can't reach their database"] as const),
    { ...several, networkPolicy: { databasePort: 0 } },
    "set databasePort",
  ],
  ["fairlead-hub", "two replicas on one claim", { ...several, persistence: { existingClaim: "a" } }, "existingClaim"],
  ["fairlead-hub", "a shared database that isn't named", { database: { shared: true } }, "database.existingSecret"],
  ["fairlead-hub", "a NATS that isn't named", { bus: { nats: { caBundle: { configMap: "a" } } } }, "nats.urls"],
  ["fairlead-hub", "a NATS with a password in sight", { bus: { nats: { urls: ["tls://u:p@h:1"] } } }, "/bus/nats/urls"],
  ["fairlead-hub", "a bus of no database", { bus: { listenUrl: { existingSecret: "a" } } }, "database.existingSecret"],
  ["fairlead-hub", "an unknown setting", { config: { logLevle: "debug" } }, "logLevle"],
  ["fairlead-hub", "a setting of the chart's own", { config: { listen: "0.0.0.0:1" } }, "listen"],
  [
    ...(["fairlead-hub", "a previous key without a key"] as const),
    { authority: { keyEncryptionKey: { previousKey: "old" } } },
    "keyEncryptionKey.existingSecret",
  ],
  [
    ...(["fairlead-hub", "an authority from a Secret beside a volume with one"] as const),
    { authority: { given: { existingSecret: "ca" } } },
    "given is for a hub that keeps nothing",
  ],
  [
    ...(["fairlead-hub", "an authority that follows none"] as const),
    { persistence: { enabled: false }, authority: { given: { nextSecret: "ca" } } },
    "given.existingSecret",
  ],
  [
    ...(["fairlead-hub", "two sources of declarations"] as const),
    { declarations: { configMap: "a", files: { "a.yaml": "" } } },
    "not both",
  ],
  [
    "fairlead-hub",
    "a file that wouldn't be read",
    { declarations: { files: { clusters: "" } } },
    "/declarations/files",
  ],
  ["fairlead-hub", "an issuer without a client", { config: { oidcIssuer: "https://login" } }, "go together"],
  ["fairlead-hub", "a secret without a provider", { oidc: { clientSecret: { existingSecret: "a" } } }, "oidcIssuer"],
  ["fairlead-hub", "a database's URL in plain sight", { config: { databaseUrl: "postgres://u:p@h/d" } }, "databaseUrl"],
  ["fairlead-hub", "an authority of no database", { database: { caBundle: { configMap: "a" } } }, "existingSecret"],
  [
    "fairlead-hub",
    "a database without a volume for the authority",
    { database: { existingSecret: "a" }, persistence: { enabled: false } },
    "needs its volume",
  ],
  ["fairlead-hub", "a prefix for system groups", { config: { groupPrefix: "system:x:" } }, "/config/groupPrefix"],
  ["fairlead-hub", "an unknown Service", { service: { robots: {} } }, "robots"],
  ["fairlead-hub", "a size without a unit", { persistence: { size: "8" } }, "/persistence/size"],
  [
    "fairlead-hub",
    "a claim without persistence",
    { persistence: { enabled: false, existingClaim: "a" } },
    "existingClaim",
  ],
  [
    "fairlead-hub",
    "one name for two ingresses",
    { ingress: { people: { enabled: true }, agents: { enabled: true } } },
    "two host names",
  ],
])("%s refuses %s and says where", async (chart, _what, values, where) => {
  const failure = await charts.refuse(chart, values);
  expect(failure).toContain(where);
});

test("what is chosen for later is kept as it was said, and nothing else changes by it", async () => {
  const chosen = { namespaces: ["shop"], gateway: { kind: "istio", name: "public", namespace: "gateways" } };
  const [plain, later] = [await charts.render("fairlead-agent"), await charts.render("fairlead-agent", chosen)];
  const isKept = ({ metadata }: Manifest): boolean => metadata.name === "fairlead-agent-cluster";
  expect(later.filter((object) => !isKept(object))).toEqual(plain);
  const [map] = later.filter(isKept);
  expect(map?.kind).toBe("ConfigMap");
  expect(parse(map?.["data"]["cluster.yaml"])).toEqual(chosen);
});

test("a database of one's own is reached by a URL from a Secret, and an authority from a ConfigMap", async () => {
  const objects = await charts.render("fairlead-hub", {
    database: { existingSecret: "hub-database", key: "dsn", caBundle: { configMap: "database-ca" } },
    networkPolicy: { databasePort: 5_432 },
  });
  const find = (kind: string): Manifest => objects.find((object) => object.kind === kind) as Manifest;
  expect(parse(find("ConfigMap")["data"]["hub.yaml"])).toMatchObject({
    databaseUrlFile: "/etc/fairlead/database/url",
    databaseCaFile: "/etc/fairlead/database-ca/ca.crt",
  });
  const { containers, volumes } = find("StatefulSet")["spec"].template.spec;
  expect(volumes).toContainEqual({
    name: "database",
    secret: expect.objectContaining({ secretName: "hub-database", items: [{ key: "dsn", path: "url" }] }),
  });
  expect(volumes).toContainEqual({
    name: "database-ca",
    configMap: { name: "database-ca", items: [{ key: "ca.crt", path: "ca.crt" }] },
  });
  const mounts = containers[0].volumeMounts.map(({ name, mountPath }: Record<string, string>) => [name, mountPath]);
  expect(mounts).toEqual(
    expect.arrayContaining([
      ["database", "/etc/fairlead/database"],
      ["database-ca", "/etc/fairlead/database-ca"],
    ]),
  );
  expect(JSON.stringify(find("NetworkPolicy")["spec"].egress)).toContain('{"protocol":"TCP","port":5432}');
});

test("in a mesh the agent keeps no key and no token, and the hub's port says what the mesh may look into", async () => {
  const hub = { url: "http://hub.fairlead.svc:8444" };
  const agent = await charts.render("fairlead-agent", { ...inMesh, hub, observe: { enabled: true } });
  const namesOf = (kind: string): string[] =>
    agent.filter((object) => object.kind === kind).map(({ metadata }) => metadata.name);
  // It holds the salt of what is hashed.
  expect(namesOf("Secret")).toEqual(["fairlead-agent-observe-identity"]);
  expect(namesOf("Role")).toEqual(["fairlead-agent-observe"]);
  const pods = agent.filter(({ kind }) => kind === "Deployment").map((object) => object["spec"].template.spec);
  expect(pods).toHaveLength(2);
  for (const { containers, volumes } of pods) {
    expect(containers[0].args).toContain("--identity=mesh");
    expect(containers[0].args.join()).not.toContain("token");
    expect(volumes).toBeUndefined();
  }
  const objects = await charts.render("fairlead-hub", {
    config: { ...meshed, meshIdentityPlaintext: true },
    networkPolicy: { agentsFrom },
  });
  const service = objects.find(({ kind, metadata }) => kind === "Service" && metadata.name.endsWith("-agents"));
  expect(service?.["spec"].ports).toMatchObject([{ name: "http-agents", appProtocol: "http" }]);
  const settings = parse(objects.find(({ kind }) => kind === "ConfigMap")?.["data"]["hub.yaml"]);
  expect(settings).toMatchObject({ ...meshed, agentPublicUrl: expect.stringMatching(/^http:/) });
});

test("only with probes may the agent reach Prometheus, in the namespaces and at the ports that are named and no others", async () => {
  const render = async (probes: object, doctor: object = {}) => {
    const values = {
      hub: { url: "https://hub.example.com" },
      token: { existingSecret: "join" },
      observe: { enabled: true, doctor: { ...doctor, probes } },
    };
    const objects = await charts.render("fairlead-agent", values);
    const named = objects.filter(({ metadata }) => metadata.name === "fairlead-agent-observe");
    const { egress } = named.find(({ kind }) => kind === "NetworkPolicy")?.["spec"] ?? {};
    const deployment = named.find(({ kind }) => kind === "Deployment");
    const roles = objects.filter(({ kind, metadata }) => kind === "ClusterRole" && metadata.name.includes("observe"));
    const rules = JSON.stringify(roles);
    return {
      args: deployment?.["spec"].template.spec.containers[0].args.join(" ") as string,
      toNamespaces: egress.filter(({ to }: { to?: unknown }) => JSON.stringify(to ?? "").includes("namespaceSelector")),
      mayReadMetrics: rules.includes("metrics.k8s.io"),
    };
  };
  const prometheus = [{ namespace: "observability", ports: [9090, 9091] }];
  const wanted = await render({ enabled: true, prometheus });
  expect(wanted.args).toContain("--observe-doctor-probes=true");
  expect(wanted.mayReadMetrics).toBe(true);
  expect(wanted.toNamespaces).toEqual([
    {
      ports: [
        { protocol: "TCP", port: 9090 },
        { protocol: "TCP", port: 9091 },
      ],
      to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "observability" } } }],
    },
  ]);
  for (const without of [await render({ prometheus }), await render({ enabled: true }, { enabled: false })]) {
    expect(without.toNamespaces).toEqual([]);
    expect(without.mayReadMetrics).toBe(false);
  }
});

test("what is refused is no secret that the message shows", async () => {
  const broken = { token: { existingSecret: "", value: `flj_${"s3cret".repeat(5)}` } };
  const proxied = { hub: { httpsProxy: { url: "http://me:s3cret@proxy:3128" } } };
  const messages = await Promise.all([broken, proxied].map((values) => charts.refuse("fairlead-agent", values)));
  expect(messages[0]).toContain("isn't a join token");
  expect(messages[1]).toContain("no credentials here");
  expect(messages.join()).not.toContain("s3cret");
});
