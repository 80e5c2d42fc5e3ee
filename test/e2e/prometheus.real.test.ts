// A real Prometheus reads a hub and an agent that are used: each alert and each panel of the charts is asked there.
import { readFile } from "node:fs/promises";
import { until } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAlertFile, readDocumented, readPanels, toCopies, withoutLimits } from "../fleet/monitoring.ts";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";
import { startPrometheus, type TestPrometheus } from "../fleet/start-prometheus.ts";

const ofHub = await readAlertFile("fairlead-hub");
const ofAgent = await readAlertFile("fairlead-agent");
const allAlerts = [...ofHub.alerts, ...ofAgent.alerts];
const panels = await readPanels();
const undo = new AsyncDisposableStack();
let fleet: Fleet;
let prometheus: TestPrometheus;

beforeAll(async () => {
  const ownPort = ["--metrics-listen", "127.0.0.1:0"];
  const roles = ["proxy", "observe", "execute"];
  fleet = undo.use(await startFleet({ hub: { args: ownPort }, agentArgs: ownPort, roles }));
  const agents = `--group=system:serviceaccounts:${fleet.agentNamespace}`;
  const inNamespace = ["--namespace", fleet.namespace.name];
  await fleet.cluster.kubectl(["create", "rolebinding", "execute", "--clusterrole=admin", agents, ...inNamespace]);
  const hub = await readAddress(fleet.hub.logFile, "hub is ready", "metricsListen");
  const agent = await readAddress(fleet.joined.agent.logFile, "agent starts", "metricsUrl");
  prometheus = undo.use(
    await startPrometheus({
      scrapeConfigs: [
        // As where all that a Prometheus reads is labelled by where it runs; the chart's ServiceMonitor honors labels, too.
        { job_name: "hub", honor_labels: true, static_configs: [{ targets: [hub], labels: { cluster: "platform" } }] },
        { job_name: "agent", static_configs: [{ targets: [agent] }] },
        { job_name: "native", static_configs: [{ targets: [hub] }], ...nativeHistograms },
      ],
      ruleFiles: {
        "hub.yaml": ofHub.text,
        "agent.yaml": ofAgent.text,
        "copies.yaml": JSON.stringify(toCopies(allAlerts)),
      },
    }),
  );
  // What was counted before the first scrape is no increase.
  await hasSeries('sum(up{job=~"hub|agent"}) == 2 and on () count(fairlead_cluster_requests_total)');
  await useCluster();
}, 240_000);
afterAll(() => undo.disposeAsync());

test("Prometheus takes all rules, and none fails", async () => {
  const { groups } = await prometheus.read<{ groups: readonly RuleGroup[] }>("rules");
  const own = groups.filter(({ file }) => !file.endsWith("/copies.yaml"));
  expect(own.flatMap(({ rules }) => rules.map(({ name }) => name))).toHaveLength(allAlerts.length);
  await until(async () => (await listFaults("unknown")).length === 0, "each rule was evaluated");
  expect(await listFaults("err")).toEqual([]);
});

test.each(allAlerts.map((alert) => [alert.alert, alert] as const))(
  "the alert %s has something to compare",
  async (name, { expr }) => {
    await prometheus.query(expr);
    const series = await prometheus.query(withoutLimits(expr));
    if (name in alertsWithoutSeries) expect(series, alertsWithoutSeries[name]).toEqual([]);
    else expect(series).not.toEqual([]);
  },
);

test.each(panels.map((panel) => [panel.title, panel.expr, panel] as const))(
  "the panel %s shows something: %s",
  async (title, _, { expr, labels }) => {
    for (const cluster of ["east", ".*"]) {
      const series = await prometheus.query(expr.replaceAll("$cluster", cluster).replaceAll("$__rate_interval", "1m"));
      if (title in panelsWithoutSeries) expect(series, panelsWithoutSeries[title]).toEqual([]);
      else expect(series).not.toEqual([]);
      for (const one of series) for (const label of labels) expect(one.labels).toHaveProperty(label);
    }
  },
);

test("the dashboard's list of clusters has the clusters, by the names that people gave", async () => {
  expect(await prometheus.read("label/cluster/values?match[]=fairlead_cluster_link_up")).toEqual(["east"]);
});

test("failures and successes are in the numbers that panels show", async () => {
  for (const outcome of ["succeeded", "failed"]) {
    const expr = `sum by (cluster) (increase(fairlead_cluster_commands_finished_total{outcome="${outcome}"}[10m]))`;
    const [ended] = await prometheus.query(expr);
    expect(ended?.labels).toEqual({ cluster: "east" });
    expect(ended?.value, outcome).toBeGreaterThan(0.5);
  }
  const [missing] = await prometheus.query('increase(fairlead_cluster_requests_total{job="hub",status="4xx"}[10m])');
  expect(missing?.value).toBeGreaterThan(2);
});

test("the pages are read without an error, and no series is twice in one", async () => {
  const { activeTargets } = await prometheus.read<{ activeTargets: readonly Target[] }>("targets");
  expect(activeTargets.map(({ health, lastError }) => [health, lastError])).toEqual(
    activeTargets.map(() => ["up", ""]),
  );
  const own = await prometheus.readOwnMetrics();
  for (const what of ["duplicate_timestamp", "out_of_order", "out_of_bounds"])
    expect(own).toMatch(new RegExp(`^prometheus_target_scrapes_sample_${what}_total 0$`, "m"));
});

test("names of metrics and labels are those of Prometheus' classic data model, which every store takes", async () => {
  const metrics = await prometheus.read<readonly string[]>('label/__name__/values?match[]={job=~"hub|agent"}');
  expect(metrics.length).toBeGreaterThan(80);
  for (const name of metrics) expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
  const labels = await prometheus.read<readonly string[]>('labels?match[]={job=~"hub|agent"}');
  for (const label of labels) expect(label).toMatch(/^(?:__name__|[a-z][a-z0-9_]*)$/);
  // Labels of a target that a page's own would take the place of, or be renamed by.
  expect(labels.filter((label) => label.startsWith("exported_"))).toEqual([]);
  const clusters = await prometheus.query('count by (cluster) ({__name__=~"fairlead_cluster_.*",job="hub"})');
  expect(clusters.map((series) => series.labels)).toEqual([{ cluster: "east" }]);
});

test.each([
  ["hub", /^fairlead_(?:hubs|relayed_streams(?:_total)?|declarations(?:_failing|_drift_total)?|trace_spans_total)$/],
  ["agent", /^fairlead_agent_(?:gitops_|trace_spans_total$)/],
])("docs/metrics.md has the metrics of the %s, by their types", async (job, ofAnotherRun) => {
  const documented = (await readDocumented(`fairlead-${job}`)).filter(([name]) => !ofAnotherRun.test(name));
  const path = `targets/metadata?match_target=${encodeURIComponent(`{job="${job}"}`)}`;
  const known = await prometheus.read<readonly { metric: string; type: string }[]>(path);
  const own = known.filter(({ metric }) => metric.startsWith("fairlead_"));
  expect(own.map(({ metric, type }) => [metric, type]).toSorted()).toEqual(documented.toSorted());
});

test("histograms are stored as native ones where the scrape configuration says so", async () => {
  const [calls] = await prometheus.query('histogram_count(fairlead_cluster_request_duration_seconds{job="native"})');
  expect(calls?.value).toBeGreaterThan(5);
  const rate = 'sum by (cluster) (rate(fairlead_cluster_request_duration_seconds{job="native"}[10m]))';
  // What was counted before the first scrape has no rate.
  await requestHub(fleet.hub, `/k8s/clusters/east/api/v1/namespaces/${fleet.namespace.name}/pods`);
  await hasSeries(`histogram_quantile(0.99, ${rate}) > 0`);
  const [slowest] = await prometheus.query(`histogram_quantile(0.99, ${rate})`);
  expect(slowest?.labels).toEqual({ cluster: "east" });
  expect(slowest?.value).toBeGreaterThan(0);
});

test("the texts of all alerts read well with a value and labels in them", async () => {
  const isComplete = async (): Promise<boolean> => (await listAlerts("text")).length === allAlerts.length;
  await until(isComplete, "the texts of all alerts", { intervalMs: 200 });
  for (const { labels, annotations } of await listAlerts("text")) {
    for (const text of Object.values(annotations)) expect(text, labels["alertname"]).not.toMatch(/[{}<>]|%!|no value/);
    const own = allAlerts.find(({ alert }) => alert === labels["alertname"]);
    const { summary = "" } = own?.annotations ?? {};
    if (summary.includes("$labels.cluster")) expect(annotations["summary"]).toContain("east");
    if (summary.includes("humanizeDuration")) expect(annotations["summary"]).toContain("1h 23m 20s");
  }
});

test("nothing is wrong with a hub and a cluster that are well", async () => {
  await until(async () => (await listAlerts("short")).length === 0, "no alert", { intervalMs: 200 });
});

test("an agent that stops is an alert that names its cluster, and so are the requests that fail then", async () => {
  await fleet.joined.agent.stop();
  const ask = () => requestHub(fleet.hub, "/k8s/clusters/east/api");
  for (const { status } of await Promise.all(Array.from({ length: 20 }, ask))) expect(status).toBeGreaterThan(499);
  const listFiring = async (): Promise<string[]> =>
    (await listAlerts("short")).map(({ labels }) => `${labels["alertname"]} ${labels["cluster"]}`).toSorted();
  const wanted = ["FairleadAgentAbsent undefined", "FairleadClusterOffline east", "FairleadProxyFailing east"];
  await expect.poll(listFiring, { timeout: 60_000, interval: 200 }).toEqual(expect.arrayContaining(wanted));
  const [offline] = (await listAlerts("short")).filter(
    ({ labels }) => labels["alertname"] === "FairleadClusterOffline",
  );
  expect(offline?.labels).toMatchObject({ severity: "warning" });
  expect(offline?.annotations["summary"]).toBe("Cluster east has been offline for 10 minutes.");
  // With the times of the chart it waits.
  const [waiting] = (await prometheus.read<Alerts>("alerts")).alerts.filter(
    ({ labels }) => labels["alertname"] === "FairleadClusterOffline" && !("copy" in labels),
  );
  expect(waiting?.state).toBe("pending");
});

async function useCluster(): Promise<void> {
  const { name } = fleet.namespace;
  const base = `/k8s/clusters/east/api/v1/namespaces/${name}`;
  for (const path of ["pods", "configmaps", "secrets", "pods/none", "configmaps/none", "secrets/none"])
    await requestHub(fleet.hub, `${base}/${path}`);
  await requestHub(fleet.hub, "/k8s/clusters/nowhere/api");
  await requestHub(fleet.hub, `${base}/configmaps`, { method: "POST", body: JSON.stringify(configMap("by-hand")) });
  await runManifests("good", configMap("good"));
  await runManifests("bad", configMap("No_Name"));
  await hasSeries("fairlead_cluster_inventory_age_seconds");
  await hasSeries('increase(fairlead_cluster_commands_finished_total{job="hub",outcome="succeeded"}[10m]) > 0');
  await hasSeries('increase(fairlead_cluster_commands_finished_total{job="hub",outcome="failed"}[10m]) > 0');
  // Those that begin with the first of their kind need two scrapes.
  for (const name of ["inventory_changes_total", "cluster_request_duration_seconds_count", "errors_total"])
    await hasSeries(`rate(fairlead_${name}{job="hub"}[1m])`);
}

async function runManifests(set: string, object: object): Promise<void> {
  const spec = { set, namespace: fleet.namespace.name, manifests: JSON.stringify(object) };
  const body = JSON.stringify({ cluster: "east", kind: "manifests", spec });
  const answer = await requestHub(fleet.hub, "/api/v1/commands", { method: "POST", body });
  expect(answer.status, answer.text).toBeLessThan(300);
}

function configMap(name: string): object {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name }, data: { a: "b" } };
}

async function hasSeries(expr: string): Promise<void> {
  await until(async () => (await prometheus.query(expr)).length > 0, expr, { intervalMs: 200 });
}

/** The rules of the chart whose last evaluation ended so. */
async function listFaults(health: string): Promise<readonly Rule[]> {
  const { groups } = await prometheus.read<{ groups: readonly RuleGroup[] }>("rules");
  return groups.flatMap(({ rules }) => rules).filter((rule) => rule.health === health);
}

async function listAlerts(copy: string): Promise<readonly FiringAlert[]> {
  const { alerts } = await prometheus.read<Alerts>("alerts");
  return alerts.filter(({ labels, state }) => labels["copy"] === copy && state === "firing");
}

async function readAddress(logFile: string, message: string, member: string): Promise<string> {
  const lines = (await readFile(logFile, "utf8")).split("\n").filter((line) => line.startsWith("{"));
  const found = lines.map((line) => JSON.parse(line) as Record<string, unknown>).find(({ msg }) => msg === message);
  return new URL(String(found?.[member])).host;
}

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

interface RuleGroup {
  readonly file: string;
  readonly rules: readonly Rule[];
}

interface Target {
  readonly health: string;
  readonly lastError: string;
}

interface FiringAlert {
  readonly state: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface Alerts {
  readonly alerts: readonly FiringAlert[];
}

/**
 * With the one histogram alone, so that nothing else is there twice. Its classic series match as well: where relabelling
 * drops them, Prometheus stores the first sample of the native histogram alone.
 */
const nativeHistograms = {
  convert_classic_histograms_to_nhcb: true,
  metric_relabel_configs: [
    { source_labels: ["__name__"], regex: "fairlead_cluster_request_duration_seconds.*", action: "keep" },
  ],
};

/** Those that rightly have nothing to compare in this run, and why. */
const alertsWithoutSeries: Readonly<Record<string, string>> = {
  FairleadHubAbsent: "there is a hub",
  FairleadAgentAbsent: "there is an agent",
  FairleadAgentApplicationsBehind: "the agent hasn't the role gitops",
  FairleadAgentApplicationsUnsynced: "the agent hasn't the role gitops",
  FairleadHubsUnlinked: "a hub alone has no others to link to",
  FairleadDeclarationsFailing: "the hub runs without --declarations",
};
const panelsWithoutSeries: Readonly<Record<string, string>> = {
  "Refused by limits": "no request met a limit",
};
