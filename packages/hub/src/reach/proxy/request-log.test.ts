import { until } from "@fairlead/kernel/testing";
import { expect, it } from "vitest";
import { createLogger, type LogLevel } from "../../platform/telemetry/index.ts";
import { clusterNotConnected } from "./errors.ts";
import { clientGone } from "./exchange.ts";
import type { FinishedRequest } from "./ports.ts";
import { authorized, openProxyHarness } from "./proxy-harness.fixture.ts";
import { createRequestLog } from "./request-log.ts";

it("a finished request tells what passed both ways, and no secrets of its query", async () => {
  await using harness = await openProxyHarness({
    async upstream(req, res) {
      for await (const _ of req);
      res.end("12345");
    },
  });
  const headers = { ...authorized, "x-request-id": "mine-1" };
  await (await fetch(`${harness.url}/api?token=geheim&watch=1`, { method: "POST", body: "abc", headers })).text();
  await until(() => harness.requests.length === 1, "the request's end");
  expect(harness.requests[0]).toMatchObject({
    requestId: "mine-1",
    cluster: "east",
    method: "POST",
    path: "/api?token=…&watch=1",
    isUpgrade: false,
    status: 200,
    bytesToCluster: 3,
    bytesFromCluster: 5,
    error: undefined,
  });
  expect(harness.requests[0]?.durationMs).toBeGreaterThanOrEqual(0);
});

const request: FinishedRequest = {
  requestId: "r",
  cluster: "east",
  method: "GET",
  path: "/api",
  isUpgrade: false,
  isLong: false,
  status: 200,
  bytesToCluster: 0,
  bytesFromCluster: 2,
  durationMs: 1,
  error: undefined,
};
const offline = clusterNotConnected("east", { state: "never-connected", sinceMs: 0, lostMs: undefined });

it.each<[string, Partial<FinishedRequest>, LogLevel]>([
  ["an ordinary request", {}, "debug"],
  ["a client that hung up", { status: undefined, error: clientGone }, "debug"],
  ["a cluster that is offline, which clients ask for again and again", { status: 503, error: offline }, "debug"],
  ["an upgrade", { status: 101, isUpgrade: true }, "info"],
  ["a watch that is cut, as by each restart of an agent", { isLong: true, error: new Error("x") as never }, "info"],
  ["a watch that can't begin", { isLong: true, status: 502, error: new Error("x") as never }, "warn"],
  ["an answer that is cut", { error: new Error("x") as never }, "warn"],
  ["a failure", { status: 502, error: new Error("x") as never }, "warn"],
])("%s is one line at its level", (_what, rest, level) => {
  const write = (at: LogLevel): Record<string, unknown>[] => {
    const lines: string[] = [];
    const log = createLogger({ level: at, name: "hub", destination: { write: (line) => void lines.push(line) } });
    createRequestLog(log).write({ ...request, ...rest });
    return lines.map((line) => JSON.parse(line));
  };
  expect(write(level)).toMatchObject([{ level, requestId: "r", cluster: "east", bytesFromCluster: 2 }]);
  const quieter = ({ debug: "info", info: "warn", warn: "error" } as Record<string, LogLevel>)[level] ?? "silent";
  expect(write(quieter)).toEqual([]);
});
