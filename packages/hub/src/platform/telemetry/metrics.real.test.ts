// What a whole hub shows of a cluster that is used, and the port where metrics alone are.
import { connect, type Socket } from "node:net";
import { until } from "@fairlead/kernel/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { answer, call, dial, enroll, openTestHub, sayHello, type TestHub } from "../../hub.fixture.ts";
import { readPage, type Series } from "./metrics.fixture.ts";

let harness: TestHub;
let metricsUrl = "";
beforeAll(async () => {
  harness = await openTestHub({ args: ["--metrics-listen", "127.0.0.1:0"] });
  metricsUrl = harness.hub.metricsUrl ?? "";
}, 60_000);
afterAll(() => harness[Symbol.asyncDispose]());

it("shows a cluster's link, requests, bytes and certificate, and nothing of it once it is removed", async () => {
  const { hub, admin } = harness;
  const link = await dial(await enroll("east", harness), harness, (stream) =>
    answer(`for ${stream.open.path}`)(stream),
  );
  await sayHello(link, "east");
  for (const path of ["/api", "/apis"]) await call(hub.peopleUrl, `/k8s/clusters/east${path}`, { headers: admin });
  const of = await readCluster("east");
  expect(of("fairlead_cluster_link_up")).toEqual([{ cluster: "east", value: 1 }]);
  expect(of("fairlead_cluster_state").filter(({ value }) => value === 1)).toEqual([
    { cluster: "east", state: "connected", value: 1 },
  ]);
  // All classes from the beginning: Prometheus sees no increase in a counter that begins with 1.
  const classes = ["1xx", "2xx", "3xx", "4xx", "5xx", "cut"];
  expect(of("fairlead_cluster_requests_total")).toEqual(
    classes.map((status) => ({ cluster: "east", status, value: status === "2xx" ? 2 : 0 })),
  );
  expect(of("fairlead_cluster_requests_active")).toEqual([{ cluster: "east", value: 0 }]);
  expect(of("fairlead_cluster_request_duration_seconds_count")).toEqual([{ cluster: "east", value: 2 }]);
  expect(of("fairlead_cluster_proxied_bytes_total")).toEqual([
    { cluster: "east", direction: "to-cluster", value: 0 },
    { cluster: "east", direction: "from-cluster", value: "for /apifor /apis".length },
  ]);
  const [left] = of("fairlead_cluster_certificate_remaining_seconds");
  expect(Number(left?.["value"])).toBeGreaterThan(23 * 3_600);
  const [end] = of("fairlead_cluster_certificate_expiry_timestamp_seconds");
  expect(Number(end?.["value"])).toBeGreaterThan(Date.now() / 1000);

  expect((await call(hub.peopleUrl, "/api/v1/clusters/east", { method: "DELETE", headers: admin })).status).toBe(204);
  const after = await readPeople();
  expect(after.filter(({ labels }) => labels["cluster"] === "east")).toEqual([]);
  expect((await link.closed).reason).toBe("closed-by-peer");
});

it("shows how long statements took, and the hub's own certificates", async () => {
  const page = await readPeople();
  const count = page.find(
    ({ name, labels }) => name === "fairlead_database_statement_duration_seconds_count" && labels["share"] === "own",
  );
  expect(count?.value).toBeGreaterThan(10);
  const ends = page.filter(({ name }) => name === "fairlead_certificate_remaining_seconds");
  expect(ends.map(({ labels }) => labels["listener"])).toEqual(["people", "agents"]);
  for (const { value } of ends) expect(value).toBeGreaterThan(3_600);
});

it("serves /metrics without a sign-in on a port of its own, and nothing else there", async () => {
  const page = await call(metricsUrl, "/metrics");
  expect([page.status, page.headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
  expect(page.text).toContain("fairlead_build_info{");
  const paths = [
    "/",
    "/healthz",
    "/readyz",
    "/ca.pem",
    "/api/v1/version",
    "/api/v1/clusters",
    "/k8s/clusters/east/api",
  ];
  for (const path of paths) expect((await call(metricsUrl, path, { headers: harness.admin })).status, path).toBe(404);
  expect((await call(metricsUrl, "/metrics", { method: "POST", body: "x" })).status).toBe(405);
  expect((await call(metricsUrl, "/metrics", { headers: { "x-long": "x".repeat(9_000) } })).status).toBe(431);
});

it("has no such port unless it is asked for one", async () => {
  await using plain = await openTestHub();
  expect(plain.hub.metricsUrl).toBeUndefined();
});

it("bounds the connections to that port: the oldest goes, and Prometheus and probes have their answers", async () => {
  const { hostname, port } = new URL(metricsUrl);
  const sockets = Array.from({ length: 40 }, () =>
    connect(Number(port), hostname)
      .on("error", () => undefined)
      .resume(),
  );
  for (const socket of sockets) socket.write("GET /metrics HTTP/1.1\r\n");
  const open = (): Socket[] => sockets.filter(({ closed }) => !closed);
  await until(() => open().length <= 16, "all but sixteen are closed");
  expect((await call(metricsUrl, "/metrics")).status).toBe(200);
  expect((await call(harness.hub.peopleUrl, "/readyz")).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

async function readPeople(): Promise<readonly Series[]> {
  return readPage((await call(harness.hub.peopleUrl, "/metrics", { headers: harness.admin })).text);
}

/** Reads the series of one name, as rows of their labels and their value. */
async function readCluster(cluster: string): Promise<(name: string) => Record<string, string | number>[]> {
  const page = await readPeople();
  return (wanted) =>
    page
      .filter(({ name, labels }) => name === wanted && labels["cluster"] === cluster)
      .map(({ labels, value }) => ({ ...labels, value }));
}
