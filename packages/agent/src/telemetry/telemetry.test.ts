import { FairleadError } from "@fairlead/kernel";
import type { Link } from "@fairlead/protocol";
import { expect, test } from "vitest";
import { createExecuteCounters } from "../execute/index.ts";
import { createProxyCounters } from "../proxy/index.ts";
import { serveHealth } from "./health.ts";
import { createLogger } from "./logger.ts";
import { createMetrics } from "./metrics.ts";

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
