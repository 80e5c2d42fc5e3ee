// A user whose cluster isn't there reads why, by kubectl and on the wire.
import { waitUntil } from "@fairlead/kernel/testing";
import { findLogLines } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { requestHub } from "../fleet/request-hub.ts";
import { type Fleet, startFleet } from "../fleet/start-fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  const logLevel = ["--log-level", "debug"];
  fleet = await startFleet({ hub: { args: logLevel }, agentArgs: logLevel });
});
afterAll(() => fleet?.[Symbol.asyncDispose]());

test("a cluster nobody added is a Kubernetes Status 404", async () => {
  const answer = await requestHub(fleet.hub, "/k8s/clusters/nowhere/api/v1/nodes");
  expect(answer.status).toBe(404);
  expect(answer.json()).toMatchObject({ kind: "Status", apiVersion: "v1", status: "Failure", code: 404 });
  const server = `${fleet.hub.url}/k8s/clusters/nowhere`;
  const { code, stderr } = await fleet.kubectl(["--server", server, "get", "nodes"], { allowFailure: true });
  expect(code).toBe(1);
  expect(stderr).toMatch(/nowhere/);
});

test("a cluster that never connected is a Status 503 with Retry-After, and kubectl prints a sentence", async () => {
  await fleet.hub.cli(["cluster", "add", "north", "--token-out", `${fleet.hub.dataDir}/../north.token`]);
  const answer = await requestHub(fleet.hub, "/k8s/clusters/north/version");
  expect(answer.status).toBe(503);
  // A date, which makes client-go give up at once: its agent won't turn up within seconds.
  expect(Date.parse(String(answer.headers["retry-after"]))).toBeGreaterThan(Date.now());
  expect(answer.headers["retry-after"]).toMatch(/ GMT$/);
  expect(answer.json()).toMatchObject({ kind: "Status", code: 503, reason: "ServiceUnavailable" });
  const server = `${fleet.hub.url}/k8s/clusters/north`;
  const { code, stderr } = await fleet.kubectl(["--server", server, "get", "nodes"], { allowFailure: true });
  expect(code).toBe(1);
  expect(stderr).toMatch(/cluster "north" is not connected to the hub: its agent has never connected/);
});

test("without a token, or with a wrong one, nothing is served", async () => {
  for (const authorization of [
    undefined,
    "Bearer fla_0000000000000000000000000000000000000000000000000000",
    "Basic eDp5",
  ]) {
    const answer = await requestHub(fleet.hub, "/k8s/clusters/east/version", { authorization });
    expect(answer.status).toBe(401);
    expect(answer.json()).toMatchObject({ kind: "Status", code: 401, reason: "Unauthorized" });
  }
});

test("one request id goes from the client to the API server's side and back", async () => {
  const answer = await requestHub(fleet.hub, "/k8s/clusters/east/version", {
    headers: { "x-request-id": "from-a-test-1" },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers["x-request-id"]).toBe("from-a-test-1");
  const path = "/version";
  const line = { requestId: "from-a-test-1", cluster: "east", method: "GET", path, status: 200 };
  for (const [file, message] of [
    [fleet.hub.logFile, "proxied request ended"],
    [fleet.joined.agent.logFile, "request ended"],
  ] as const) {
    const findLine = async () =>
      (await findLogLines(file, message)).find(({ requestId }) => requestId === line.requestId);
    await waitUntil(async () => (await findLine()) !== undefined, { timeoutMs: 30_000 });
    expect(await findLine()).toMatchObject({ ...line, bytesToCluster: 0, bytesFromCluster: answer.text.length });
  }
  const made = await requestHub(fleet.hub, "/k8s/clusters/east/version");
  expect(made.headers["x-request-id"]).toMatch(/.{8,}/);
});

test.each([
  "/k8s/clusters/../api/v1/clusters",
  "/k8s/clusters/%2e%2e/version",
  "/k8s/clusters/east%2fversion",
  "/k8s/clusters//version",
  "/k8s/clusters/EAST/version",
])("%s names no cluster", async (path) => {
  const answer = await requestHub(fleet.hub, path);
  expect(answer.status).toBe(404);
  expect(answer.text).not.toContain("gitVersion");
});
