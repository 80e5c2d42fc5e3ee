import { expect, test } from "vitest";
import { parseClusterInfoKey } from "./cluster-info-key.ts";
import { type ClusterConnection, describeCluster, readClusterInfo } from "./describe-cluster.ts";

const sinceMs = Date.parse("2026-01-02T03:04:05.678Z");
const since = "2026-01-02T03:04:05Z";
const own = {
  connectionState: { status: "Successful", message: "", attemptedAt: "2026-01-01T00:00:00Z" },
  serverVersion: "1.36",
  cacheInfo: { resourcesCount: 812, apisCount: 61, lastCacheSyncTime: "2026-01-01T00:00:00Z" },
  applicationsCount: 7,
  apiVersions: ["v1", "apps/v1"],
};

test("what the cluster's Argo CD says is shown, and its connection is the hub's", () => {
  expect(describe({ is: "here", sinceMs, answer: { is: "said", info: own } })).toEqual({
    ...own,
    connectionState: { status: "Successful", message: "", attemptedAt: since },
  });
});

test.each([
  ["Failed", "Failed"],
  ["Degraded", "Degraded"],
  ["Unknown", "Successful"],
  [undefined, "Successful"],
])("a cluster that its own Argo CD finds %s is %s", (status, shown) => {
  const info = { ...own, connectionState: { status, message: "as it says", attemptedAt: null } };
  const { connectionState } = describe({ is: "here", sinceMs, answer: { is: "said", info } });
  expect(connectionState?.status).toBe(shown);
  expect(connectionState?.message).toBe(shown === "Successful" ? "" : "as it says");
});

test("what the hub knows stands for what the cluster doesn't say", () => {
  const known = { serverVersion: "v1.36.3", applicationsCount: 5 };
  expect(describe({ is: "away", sinceMs, why: "It is away." })).toEqual({
    ...known,
    connectionState: { status: "Failed", message: "It is away.", attemptedAt: since },
  });
  expect(describe({ is: "here", sinceMs, answer: { is: "silent" } }).connectionState?.status).toBe("Failed");
  expect(describe({ is: "here", sinceMs, answer: { is: "untold", why: "No Redis." } })).toEqual({
    ...known,
    connectionState: { status: "Successful", message: "No Redis.", attemptedAt: since },
  });
  const blank = { ...own, serverVersion: "" };
  expect(describe({ is: "here", sinceMs, answer: { is: "said", info: blank } }).serverVersion).toBe("v1.36.3");
});

test("what a cluster sends is taken apart, and what isn't Argo CD's refused", () => {
  expect(readClusterInfo(`${JSON.stringify({ ...own, more: "than that" })}\n`)).toEqual(own);
  const fresh = '{"connectionState":{"status":"Unknown"},"cacheInfo":{"lastCacheSyncTime":null},"applicationsCount":0}';
  expect(readClusterInfo(fresh).cacheInfo).toEqual({ lastCacheSyncTime: null });
  for (const wrong of ["{", "[]", '{"applicationsCount":"7"}', '{"applicationsCount":-1}', '{"apiVersions":"v1"}'])
    expect(() => readClusterInfo(wrong)).toThrow();
});

test("a cluster is known by the hub's own address alone", () => {
  const parse = (key: string) => parseClusterInfoKey(Buffer.from(key), "https://hub.example.com/");
  const east = "cluster|info|https://hub.example.com/k8s/clusters/east";
  expect(parse(`${east}|1.8.3.gz`)).toEqual({ cluster: "east", cacheVersion: "1.8.3", isCompressed: true });
  expect(parse(`${east}|1.8.3`)).toEqual({ cluster: "east", cacheVersion: "1.8.3", isCompressed: false });
  for (const key of [
    east,
    `${east}/|1.8.3.gz`,
    `${east}?agentName=west|1.8.3.gz`,
    `${east}|1|2|1.8.3.gz`,
    `${east.replace("east", "..")}|1.8.3`,
    `${east.replace("east", "Ä")}|1.8.3`,
    "cluster|info|https://hub.example.com.evil/k8s/clusters/east|1.8.3.gz",
    "cluster|info|https://other.example.com/k8s/clusters/east|1.8.3.gz",
    "cluster|info|https://kubernetes.default.svc|1.8.3.gz",
    "app|resources-tree|east_web|1.8.3.gz",
  ])
    expect(parse(key)).toBeUndefined();
});

function describe(connection: ClusterConnection) {
  return describeCluster({ connection, kubernetesVersion: "v1.36.3", applications: 5 });
}
