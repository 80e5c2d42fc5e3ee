// What a platform around the charts asks for: a registry, users of its own, volumes, ways in, disruption budgets and a
// Prometheus. Real Helm renders each case.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ChartName, Manifest } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { type ChartRenderer, ofKind, openRenderer } from "../fleet/render-charts.ts";

const bothCharts = ["fairlead-agent", "fairlead-hub"] as const;
const parentRefs = [{ name: "public", namespace: "gateways" }];
const agentPublicUrl = "https://agents.example.com";
const several = {
  replicas: 3,
  database: { existingSecret: "database" },
  authority: { keyEncryptionKey: { existingSecret: "authority" } },
  networkPolicy: { databasePort: 5_432 },
};
const monitor = { enabled: true, token: { existingSecret: "robot" }, caBundle: { configMap: "ca" } };
const metricsFrom = [{ namespaceSelector: {} }];
const hubFiles = join(import.meta.dirname, "../../charts/fairlead-hub/files");

let charts: ChartRenderer;
beforeAll(async () => {
  charts = await openRenderer();
});
afterAll(() => charts?.[Symbol.asyncDispose]());

test.each(bothCharts)("%s without a registry is refused, and says where images come from", async (chart) => {
  const said = await charts.refuse(chart, { image: { registry: "" } });
  expect(said).toContain("image.registry: no image of Fairlead is published yet");
  expect(said).toContain("docs/install.md#3-images");
  expect(said).toContain("docker.io");
});

test.each<[ChartName, string, object, string]>([
  ["fairlead-agent", "commands without rights", { execute: { enabled: true } }, "execute.rights.namespaces={team-a}"],
  ["fairlead-agent", "a mount of no volume", { proxy: { extraVolumeMounts: [mount("ca")] } }, 'no volume "ca"'],
  [
    "fairlead-agent",
    "a volume of no source",
    { observe: { extraVolumes: [{ name: "ca" }] } },
    "/observe/extraVolumes/0",
  ],
  ["fairlead-agent", "a Prometheus that is kept out", { metrics: { podMonitor: { enabled: true } } }, "metricsFrom"],
  [
    "fairlead-agent",
    "a reading every while",
    { metrics: { podMonitor: { interval: "often" } } },
    "/podMonitor/interval",
  ],
  ["fairlead-hub", "a mount of no volume", { extraVolumeMounts: [mount("ca")] }, 'no volume "ca"'],
  ["fairlead-hub", "a mount at no path", { extraVolumeMounts: [{ ...mount("ca"), mountPath: "ca" }] }, "/mountPath"],
  ["fairlead-hub", "a route through no Gateway", { routes: { people: { enabled: true } } }, "routes.people.parentRefs"],
  ["fairlead-hub", "agents through no Gateway", { routes: { agents: { enabled: true } } }, "routes.agents.parentRefs"],
  [
    "fairlead-hub",
    "one name for two routes",
    { routes: { people: { enabled: true, parentRefs }, agents: { enabled: true, parentRefs } } },
    "two host names",
  ],
  [
    "fairlead-hub",
    "one name for an ingress and a route",
    { ingress: { people: { enabled: true } }, routes: { agents: { enabled: true, parentRefs } } },
    "two host names",
  ],
  [
    "fairlead-hub",
    "a reader without a token",
    { metrics: { serviceMonitor: { enabled: true } } },
    "token.existingSecret",
  ],
  [
    "fairlead-hub",
    "a token for whoever answers",
    { metrics: { serviceMonitor: { ...monitor, caBundle: { configMap: "" } } } },
    "caBundle.configMap",
  ],
  ["fairlead-hub", "a budget of nothing", { podDisruptionBudget: { maxUnavailable: 0 } }, "/maxUnavailable"],
])("%s refuses %s and says where", async (chart, _what, values, where) => {
  expect(await charts.refuse(chart, values)).toContain(where);
});

test("commands are installed with rights of the chart's, or of those who bind them themselves", async () => {
  for (const rights of [{ namespaces: ["team-a"] }, { wholeClusterRole: "edit" }, { boundElsewhere: true }])
    await charts.render("fairlead-agent", { execute: { enabled: true, rights } });
  await charts.render("fairlead-agent", { execute: { enabled: true }, rbac: { create: false } });
  const serviceAccount = { create: false, name: "commands" };
  await charts.render("fairlead-agent", { execute: { enabled: true, serviceAccount } });
});

test.each(bothCharts)("%s asks for no user and no group where the platform chooses them", async (chart) => {
  const [workload] = ofKind(await charts.render(chart, { platformUser: true }), "Deployment", "StatefulSet");
  const { securityContext, containers } = podOf(workload);
  expect(securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
  for (const { securityContext: own } of containers) expect(own).not.toHaveProperty("runAsUser");
});

test.each<[ChartName, string, (more: object) => object]>([
  ["fairlead-hub", "hub", (more) => more],
  ["fairlead-agent", "proxy", (more) => ({ proxy: more })],
  ["fairlead-agent", "observe", (more) => ({ observe: { enabled: true, ...more } })],
  ["fairlead-agent", "gitops", (more) => ({ gitops: { enabled: true, ...more } })],
  ["fairlead-agent", "execute", (more) => ({ execute: { enabled: true, rights: { boundElsewhere: true }, ...more } })],
])("%s gives the container of %s more volumes and variables, and no other container", async (chart, role, place) => {
  const volume = { name: "more-ca", configMap: { name: "more-ca" } };
  const variable = { name: "MORE", value: "said" };
  const more = { extraVolumes: [volume], extraVolumeMounts: [mount("more-ca")], extraEnv: [variable] };
  const workloads = ofKind(await charts.render(chart, place(more)), "Deployment", "StatefulSet");
  const having = workloads.filter((workload) => JSON.stringify(workload).includes("more-ca"));
  expect(having.map(({ metadata }) => metadata.name)).toEqual([expect.stringMatching(`${role}$`)]);
  const { volumes, containers } = podOf(having[0]);
  expect(volumes).toContainEqual(volume);
  const [first, ...others] = containers;
  expect(first?.volumeMounts).toContainEqual(mount("more-ca"));
  expect(first?.env).toContainEqual(variable);
  expect(JSON.stringify(others)).not.toContain("more-ca");
});

test("a Gateway calls the hub by HTTPS for people, and passes TLS through for agents", async () => {
  const people = { enabled: true, parentRefs, backendTls: { caConfigMap: "hub-ca" } };
  const values = { agentPublicUrl, routes: { people, agents: { enabled: true, parentRefs } } };
  const objects = await charts.render("fairlead-hub", values);
  const [http, tls, backend] = ["HTTPRoute", "TLSRoute", "BackendTLSPolicy"].map((kind) => ofKind(objects, kind)[0]);
  expect(http?.["spec"]).toMatchObject({
    parentRefs,
    hostnames: ["hub.example.com"],
    rules: [{ backendRefs: [{ name: "fairlead-hub", port: 443 }], timeouts: { request: "0s", backendRequest: "0s" } }],
  });
  expect(tls?.["spec"]).toMatchObject({
    parentRefs,
    hostnames: ["agents.example.com"],
    rules: [{ backendRefs: [{ name: "fairlead-hub-agents", port: 8444 }] }],
  });
  expect(backend?.["spec"]).toMatchObject({
    targetRefs: [{ kind: "Service", name: "fairlead-hub", sectionName: "https-people" }],
    validation: { caCertificateRefs: [{ kind: "ConfigMap", name: "hub-ca" }], hostname: "hub.example.com" },
  });
  const ports = ofKind(objects, "Service").flatMap((service) => service["spec"].ports);
  expect(ports).toContainEqual(expect.objectContaining({ name: "https-people", port: 443 }));
});

test("agents that come through a Gateway are told port 443, unless another one is said", async () => {
  const urlOf = async (values: object): Promise<string> => {
    const objects = await charts.render("fairlead-hub", {
      routes: { agents: { enabled: true, parentRefs } },
      ...values,
    });
    return parse(ofKind(objects, "ConfigMap")[0]?.["data"]["hub.yaml"]).agentPublicUrl;
  };
  expect(await urlOf({})).toBe("https://hub.example.com:443");
  expect(await urlOf({ agentPublicUrl })).toBe(agentPublicUrl);
});

test("the hub's disruption budget is for several replicas, and can be set and left out", async () => {
  const budgetOf = async (values: object) => ofKind(await charts.render("fairlead-hub", values), "PodDisruptionBudget");
  expect((await budgetOf(several))[0]?.["spec"]).toMatchObject({ maxUnavailable: 1 });
  const share = { podDisruptionBudget: { maxUnavailable: "50%" } };
  expect((await budgetOf({ ...several, ...share }))[0]?.["spec"]).toMatchObject({ maxUnavailable: "50%" });
  expect(await budgetOf({ ...several, podDisruptionBudget: { enabled: false } })).toEqual([]);
  expect(await budgetOf({})).toEqual([]);
});

test("Prometheus reads each hub by a robot's token and the hub's certificate, and chooses by its own labels", async () => {
  const serviceMonitor = { ...monitor, labels: { release: "prometheus" }, interval: "30s" };
  const objects = await charts.render("fairlead-hub", { metrics: { serviceMonitor } });
  const [found] = ofKind(objects, "ServiceMonitor");
  expect(found?.metadata.labels).toMatchObject({ release: "prometheus" });
  expect(found?.["spec"].endpoints).toEqual([
    {
      port: "https-people",
      path: "/metrics",
      honorLabels: true,
      scheme: "https",
      interval: "30s",
      authorization: { type: "Bearer", credentials: { name: "robot", key: "token" } },
      tlsConfig: { serverName: "hub.example.com", ca: { configMap: { name: "ca", key: "ca.crt" } } },
    },
  ]);
  const chosen = ofKind(objects, "Service").filter(({ metadata }) => selects(found, metadata.labels));
  expect(chosen.map(({ metadata }) => metadata.name)).toEqual(["fairlead-hub"]);
});

test("Prometheus reads the pods of all of the agent's roles, where the NetworkPolicy lets it in", async () => {
  const objects = await charts.render("fairlead-agent", {
    observe: { enabled: true },
    metrics: { podMonitor: { enabled: true, labels: { release: "prometheus" } } },
    networkPolicy: { metricsFrom },
  });
  const [found] = ofKind(objects, "PodMonitor");
  expect(found?.metadata.labels).toMatchObject({ release: "prometheus" });
  expect(found?.["spec"].podMetricsEndpoints).toEqual([{ port: "health", path: "/metrics" }]);
  const workloads = ofKind(objects, "Deployment");
  expect(workloads).toHaveLength(2);
  for (const { spec } of workloads) expect(selects(found, spec.template.metadata.labels)).toBe(true);
  for (const { spec } of ofKind(objects, "NetworkPolicy")) expect(spec.ingress[0].from).toEqual(metricsFrom);
});

test("metrics on a port of their own are open to the named pods alone, and Prometheus needs no token", async () => {
  const metrics = { listen: { enabled: true, port: 9_191 }, serviceMonitor: { enabled: true } };
  const objects = await charts.render("fairlead-hub", { metrics, networkPolicy: { metricsFrom } });
  expect(parse(ofKind(objects, "ConfigMap")[0]?.["data"]["hub.yaml"])).toMatchObject({ metricsListen: "0.0.0.0:9191" });
  const [policy] = ofKind(objects, "NetworkPolicy");
  expect(policy?.["spec"].ingress).toContainEqual({
    ports: [{ protocol: "TCP", port: "metrics" }],
    from: metricsFrom,
  });
  const [found] = ofKind(objects, "ServiceMonitor");
  expect(found?.["spec"].endpoints).toEqual([{ port: "http-metrics", path: "/metrics", honorLabels: true }]);
  const chosen = ofKind(objects, "Service").filter(({ metadata }) => selects(found, metadata.labels));
  expect(chosen.map(({ metadata }) => metadata.name)).toEqual(["fairlead-hub-metrics"]);
  expect(await charts.refuse("fairlead-hub", { metrics })).toContain("networkPolicy.metricsFrom");
});

test("an agent's metrics have a port of their own where that is wanted, in each role", async () => {
  const metrics = { listen: { enabled: true }, podMonitor: { enabled: true } };
  const values = { observe: { enabled: true }, health: { host: "::" }, metrics };
  const objects = await charts.render("fairlead-agent", { ...values, networkPolicy: { metricsFrom } });
  for (const { spec } of ofKind(objects, "Deployment")) {
    const [container] = spec.template.spec.containers;
    expect(container.args).toContain("--metrics-listen=[::]:9090");
    expect(container.ports).toContainEqual({ name: "metrics", containerPort: 9_090 });
  }
  for (const { spec } of ofKind(objects, "NetworkPolicy"))
    expect(spec.ingress).toEqual([{ from: metricsFrom, ports: [{ protocol: "TCP", port: "metrics" }] }]);
  expect(ofKind(objects, "PodMonitor")[0]?.["spec"].podMetricsEndpoints).toMatchObject([{ port: "metrics" }]);
  expect(await charts.refuse("fairlead-agent", values)).toContain("networkPolicy.metricsFrom");
});

test("the hub's alerts and dashboard come as their files have them, with the labels by which they are found", async () => {
  const rules = { enabled: true, labels: { release: "prometheus" } };
  const objects = await charts.render("fairlead-hub", { metrics: { rules, dashboard: { enabled: true } } });
  const [found] = ofKind(objects, "PrometheusRule");
  expect(found?.metadata.labels).toMatchObject({ release: "prometheus" });
  expect(found?.["spec"]).toEqual(parse(await readFile(join(hubFiles, "alerts.yaml"), "utf8")));
  const board = ofKind(objects, "ConfigMap").find(({ metadata }) => metadata.name === "fairlead-hub-dashboard");
  expect(board?.metadata.labels).toMatchObject({ grafana_dashboard: "1" });
  const wanted = JSON.parse(await readFile(join(hubFiles, "dashboard.json"), "utf8")) as object;
  expect(JSON.parse(board?.["data"]["fairlead.json"] as string)).toEqual(wanted);
});

test("the agent's alerts come as their file has them, with the labels by which they are found", async () => {
  const rules = { enabled: true, labels: { release: "prometheus" } };
  const [found] = ofKind(await charts.render("fairlead-agent", { metrics: { rules } }), "PrometheusRule");
  expect(found?.metadata.labels).toMatchObject({ release: "prometheus" });
  const file = join(hubFiles, "../../fairlead-agent/files/alerts.yaml");
  expect(found?.["spec"]).toEqual(parse(await readFile(file, "utf8")));
});

test("an agent's traces go to the collector that is named, in each role", async () => {
  const tracing = { endpoint: "http://collector.example.com:4318", sampleRatio: 0.05 };
  const traced = await charts.render("fairlead-agent", { observe: { enabled: true }, tracing });
  for (const { spec } of ofKind(traced, "Deployment")) {
    const { args } = spec.template.spec.containers[0];
    expect(args).toContain("--otlp-endpoint=http://collector.example.com:4318");
    expect(args).toContain("--trace-sample-ratio=0.05");
  }
  expect(JSON.stringify(await charts.render("fairlead-agent"))).not.toContain("otlp");
  const withPassword = { tracing: { endpoint: "http://me:secret@collector" } };
  expect(await charts.refuse("fairlead-agent", withPassword)).toContain("/tracing/endpoint");
});

test.each(bothCharts)("%s makes nothing for operators that aren't there unless it is told to", async (chart) => {
  const groups = (await charts.render(chart)).map(({ apiVersion }) => apiVersion);
  expect(groups.filter((group) => /monitoring\.coreos|gateway\.networking/.test(group))).toEqual([]);
});

function mount(name: string) {
  return { name, mountPath: `/etc/${name}`, readOnly: true };
}

interface Pod {
  readonly securityContext: object;
  readonly volumes: readonly object[];
  readonly containers: readonly Container[];
}

interface Container {
  readonly securityContext: object;
  readonly volumeMounts: readonly object[];
  readonly env: readonly object[];
}

function podOf(workload: Manifest | undefined): Pod {
  if (workload === undefined) throw new Error("no workload was rendered");
  return workload["spec"].template.spec;
}

function selects(monitor: Manifest | undefined, labels: Readonly<Record<string, string>> = {}): boolean {
  const wanted = Object.entries(monitor?.["spec"].selector.matchLabels ?? {});
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
