import { once } from "node:events";
import { connect } from "node:net";
import { FairleadError, forComponent, setLogCluster, systemClock } from "@fairlead/kernel";
import type { Link } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { createExecuteCounters } from "../execute/index.ts";
import { createProxyCounters } from "../proxy/index.ts";
import { serveHealth } from "./health.ts";
import { createLogger } from "./logger.ts";
import { agentMetrics } from "./metric-table.ts";
import { createMetrics } from "./metrics.ts";
import { serveMetrics } from "./metrics-listener.ts";

function linkWith(received: number): Link {
  const stats = {
    streams: { opening: 1, open: 2, halfClosed: 3 },
    bytes: { received, sent: 7 },
    credit: { heldBytes: 1, grantedBytes: 2, queuedBytes: 3 },
    retainedBytes: 4,
    queueAgeMs: 1_500,
  };
  return { stats: () => stats } as unknown as Link;
}

const program = { version: "1.2.3", nowMs: () => 1_000 };
const apiServer = () => ({ failedProbes: 2, cutConnections: 3 });

test("metrics are totals over open and closed links, the same however often they are read", async () => {
  const proxy = createProxyCounters();
  proxy.answered = 4;
  proxy.errorsByCode["PROXY_UPSTREAM_BROKEN"] = 2;
  proxy.responses.observe(0.07);
  const links = { all: new Set([linkWith(10), linkWith(20)]), connects: 3, closedBytes: { received: 100, sent: 0 } };
  const executing = { counters: createExecuteCounters(), heldCount: 2, programs: new Map([["helm", "4.3.1"]]) };
  executing.counters.ended.cancelled = 5;
  const registry = createMetrics({
    ...program,
    links,
    proxy,
    apiServer,
    executing,
    certificateExpiresAtMs: () => 9_000,
  });
  await registry.metrics();
  const text = await registry.metrics();
  expect(text).toContain("fairlead_agent_links 2");
  expect(text).toContain('fairlead_agent_link_bytes_total{direction="received"} 130');
  expect(text).toContain('fairlead_agent_streams{state="half-closed"} 6');
  expect(text).toContain('fairlead_agent_requests_total{outcome="answered"} 4');
  expect(text).toContain('fairlead_agent_errors_total{code="PROXY_UPSTREAM_BROKEN"} 2');
  expect(text).toContain("fairlead_agent_commands_held 2");
  expect(text).toContain('fairlead_agent_commands_total{outcome="cancelled"} 5');
  expect(text).toContain("fairlead_agent_queue_age_seconds 1.5");
  expect(text).toContain("fairlead_agent_certificate_expiry_timestamp_seconds 9\n");
  expect(text).toContain("fairlead_agent_certificate_remaining_seconds 8\n");
  expect(text).toContain(`fairlead_agent_build_info{version="1.2.3",node_version="${process.versions.node}"} 1`);
  expect(text).toContain("fairlead_agent_link_up 1\n");
  expect(text).toContain('fairlead_agent_response_seconds_bucket{le="0.1"} 1\n');
  expect(text).toContain("fairlead_agent_api_server_cut_connections_total 3");
});

test("each metric of the table is on the page of an agent with all roles, with its labels", async () => {
  const proxy = createProxyCounters();
  proxy.errorsByCode["A_B"] = 1;
  const flows = { applications: 1 };
  const registry = createMetrics({
    ...program,
    links: { all: new Set([linkWith(1)]), connects: 1, closedBytes: { received: 0, sent: 0 } },
    proxy,
    apiServer,
    certificateExpiresAtMs: () => 9_000,
    executing: { counters: createExecuteCounters(), heldCount: 0, programs: new Map([["helm", "4.3.1"]]) },
    observing: {
      counters: { lists: 1, listed: 1, applied: 1, deleted: 1 } as never,
      isLeading: true,
      stats: () =>
        ({
          kinds: { live: 1 },
          objects: 1,
          isConnected: true,
          pendingChanges: 1,
          oldestPendingMs: 1,
          heldBytes: 1,
          sessions: 1,
          sentChanges: 1,
          sentBytes: 1,
          fetchedObjects: 1,
        }) as never,
    },
    tracing: { sent: 1, lost: 1 },
    syncing: {
      isLeading: true,
      stats: () => ({ objects: flows, pending: flows, refused: flows, drifted: flows, oldestPendingMs: 1 }) as never,
    },
  });
  const metrics = await registry.getMetricsAsJSON();
  expect(metrics.map(({ name }) => name).sort()).toEqual(Object.keys(agentMetrics).sort());
  for (const { name, values } of metrics) {
    const labels = new Set((values as { labels: object }[]).flatMap((one) => Object.keys(one.labels)));
    labels.delete("le");
    expect([...labels].sort(), name).toEqual([...(agentMetrics[name]?.labels ?? ["no row"])].sort());
  }
});

test("a port for metrics alone serves nothing else, and holds nobody's connections for ever", async () => {
  const registry = createMetrics({
    ...program,
    links: { all: new Set(), connects: 0, closedBytes: { received: 0, sent: 0 } },
    proxy: createProxyCounters(),
    apiServer,
    certificateExpiresAtMs: () => undefined,
  });
  await using metrics = await serveMetrics({ host: "127.0.0.1", port: 0, registry, clock: systemClock });
  const page = await fetch(`${metrics.url}/metrics`);
  expect([page.status, page.headers.get("content-type")]).toEqual([200, registry.contentType]);
  expect(await page.text()).toContain("# TYPE fairlead_agent_links gauge");
  for (const path of ["/", "/healthz", "/readyz", "/metrics/x"])
    expect((await fetch(metrics.url + path)).status, path).toBe(404);
  expect((await fetch(`${metrics.url}/metrics`, { method: "POST", body: "x" })).status).toBe(405);
  expect((await fetch(`${metrics.url}/metrics`, { headers: { "x-long": "x".repeat(9_000) } })).status).toBe(431);
  // A head that never ends.
  const { hostname, port } = new URL(metrics.url);
  const slow = connect(Number(port), hostname).on("error", () => undefined);
  slow.write("GET /metrics HTTP/1.1\r\nx: ");
  slow.resume();
  await once(slow, "close");
});

test("log lines have the shape of the hub's, and name the cluster once it is known", () => {
  const lines: string[] = [];
  const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
  const observe = forComponent(log, "agent/observe");
  let cluster: string | undefined;
  setLogCluster(log, () => cluster);
  observe.info({}, "a kind is listed");
  cluster = "east";
  observe.info({ requestId: "req-1" }, "a kind is listed");
  log.info({}, "agent is stopped");
  const rest = { time: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), level: "info" };
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    { ...rest, component: "agent/observe", msg: "a kind is listed" },
    { ...rest, component: "agent/observe", cluster: "east", requestId: "req-1", msg: "a kind is listed" },
    { ...rest, component: "agent", cluster: "east", msg: "agent is stopped" },
  ]);
});

test("ready means that every round trip works, and says which doesn't", async () => {
  let isUp = false;
  const registry = createMetrics({
    ...program,
    links: { all: new Set(), connects: 0, closedBytes: { received: 0, sent: 0 } },
    proxy: createProxyCounters(),
    apiServer,
    certificateExpiresAtMs: () => undefined,
  });
  await using health = await serveHealth({
    host: "127.0.0.1",
    port: 0,
    registry,
    checks: {
      hub: async () => 1,
      "api-server": async () => {
        if (!isUp) throw new FairleadError({ code: "KUBE_UNREACHABLE", message: "The API server is away." });
      },
    },
  });
  expect((await fetch(`${health.url}/healthz`)).status).toBe(200);
  const notReady = await fetch(`${health.url}/readyz`);
  expect([notReady.status, await notReady.text()]).toEqual([
    503,
    "[+] hub ok\n[-] api-server failed: The API server is away.\n",
  ]);
  isUp = true;
  expect((await fetch(`${health.url}/readyz`)).status).toBe(200);
  expect(await (await fetch(`${health.url}/metrics`)).text()).toContain("# TYPE fairlead_agent_links gauge");
  expect((await fetch(`${health.url}/secret`)).status).toBe(404);
  expect((await fetch(`${health.url}/healthz`, { method: "POST" })).status).toBe(405);
});

test("the log masks secrets wherever they are, and tells errors by code and cause", () => {
  const lines: string[] = [];
  const log = createLogger({ level: "info", destination: { write: (line) => void lines.push(line) } });
  const cause = new Error("sent Bearer abcdefghijkl to someone");
  const err = new FairleadError({ code: "LINK_UNREACHABLE", message: "away", cause });
  log.warn({ token: "hidden", headers: { authorization: "hidden" }, err }, "flj_aaaaaaaaaa_bbbbbbbb was used");
  const line = lines.join("");
  expect(line).not.toMatch(/hidden|abcdefghijkl|bbbbbbbb/);
  expect(JSON.parse(line)).toMatchObject({ level: "warn", err: { code: "LINK_UNREACHABLE", message: "away" } });
});
