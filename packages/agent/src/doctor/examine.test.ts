import { type ClusterObject, fairlead, type MetricQuery } from "@fairlead/doctor";
import { createMovableClock } from "@fairlead/kernel/testing";
import type { ApiResource, KubeClient } from "@fairlead/kube";
import { expect, test } from "vitest";
import { examine } from "./examine.ts";
import { HeldObject, HeldSighting } from "./held-sighting.ts";
import { PrometheusReader } from "./prometheus-reader.ts";
import { SideReader } from "./side-reader.ts";

const check = "prometheus.answers";

test("Prometheus is asked where detection found it, and the next examination has its answer", async () => {
  const asked: MetricQuery[] = [];
  const prometheus = new PrometheusReader({
    ask: async (query) => {
      asked.push(query);
      return { is: "answered", series: ["up", "all"].map((which) => ({ labels: { which }, value: 3 })) };
    },
    clock: createMovableClock(),
    onNews: () => undefined,
  });
  expect(await verdictOf(check, prometheus)).toMatchObject({ is: "unknown" });
  await new Promise((resolve) => setImmediate(resolve));
  expect(await verdictOf(check, prometheus)).toMatchObject({
    is: "pass",
    message: "It answers, and 3 of 3 targets are up.",
  });
  const address = { scheme: "http", namespace: "monitoring", name: "prometheus", port: 9090 };
  expect(asked.length).toBeGreaterThan(0);
  for (const query of asked) expect(query.address).toEqual(address);
});

test("where that isn't wanted it isn't asked, and that is said", async () => {
  const { report } = await examineIt(undefined);
  expect(JSON.stringify(report.addons)).not.toContain(check);
  expect(report.hidden).toContainEqual({
    resource: "queries of Prometheus",
    why: "it isn't asked for (--observe-doctor-probes)",
  });
});

async function verdictOf(id: string, prometheus: PrometheusReader) {
  const { report } = await examineIt(prometheus);
  return report.addons.flatMap(({ checks }) => checks).find((each) => each.check.id === id)?.verdict;
}

function examineIt(prometheus: PrometheusReader | undefined) {
  const clock = createMovableClock();
  // The cache has every kind already, so the client is never called.
  const client = undefined as unknown as KubeClient;
  const ways = {
    catalogue: { resources: [...objects.keys()].map(served), unavailable: [] },
    choice: { include: [], exclude: [], namespaces: [] },
    labelSelector: undefined,
    isProbing: prometheus !== undefined,
    cache: {
      has: () => true,
      look: (key: string) =>
        new HeldSighting((objects.get(key) ?? []).map((each) => new HeldObject(JSON.stringify(each)))),
    },
    side: new SideReader({ client, clock, namespaces: [] }),
  };
  const { signal } = new AbortController();
  const { side } = ways;
  return examine({ ways, side, prometheus, clock, signal, looksBefore: undefined, profile: fairlead });
}

const labels = { app: "prometheus" };
const containers = [{ name: "prometheus", image: "quay.io/prometheus/prometheus:v3.9.1" }];
const metadata = { name: "prometheus", namespace: "monitoring" };
const objects = new Map<string, readonly ClusterObject[]>([
  [
    "statefulsets.apps",
    [
      {
        apiVersion: "apps/v1",
        kind: "StatefulSet",
        metadata,
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
        status: { replicas: 1, readyReplicas: 1 },
      },
    ],
  ],
  [
    "services",
    [{ apiVersion: "v1", kind: "Service", metadata, spec: { selector: labels, ports: [{ name: "web", port: 9090 }] } }],
  ],
]);

function served(key: string): ApiResource {
  const [resource = "", ...group] = key.split(".");
  const names = { kind: resource, singular: resource, shortNames: [], categories: [] };
  return { group: group.join("."), version: "v1", resource, namespaced: true, verbs: ["list", "watch"], ...names };
}
