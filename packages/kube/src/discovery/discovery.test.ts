import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { createKubeClient, type KubeClient } from "../client/client.ts";
import { discoverApis } from "./discovery.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

async function clientOf(answers: Record<string, unknown>, asked: IncomingMessage[] = []): Promise<KubeClient> {
  const server = createServer((request, response) => {
    asked.push(request);
    const answer = answers[request.url ?? ""];
    if (answer === undefined) response.writeHead(503).end("no server for it");
    else response.end(JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const access = {
    server: new URL(`http://127.0.0.1:${port}`),
    insecureSkipTlsVerify: false,
    authorization: () => undefined,
    namespace: "default",
  };
  const client = createKubeClient({ access });
  cleanups.push(() => client[Symbol.asyncDispose]());
  cleanups.push(() => server.closeAllConnections());
  cleanups.push(() => server.close());
  return client;
}

const aggregatedPods = {
  resource: "pods",
  responseKind: { group: "", version: "", kind: "Pod" },
  scope: "Namespaced",
  singularResource: "pod",
  verbs: ["get", "list", "watch"],
  shortNames: ["po"],
  categories: ["all"],
  subresources: [{ subresource: "log" }],
};

const jobs = (version: string) => ({
  resource: "jobs",
  responseKind: { group: "batch", version, kind: "Job" },
  scope: "Namespaced",
  singularResource: "job",
  verbs: ["list"],
});

test("everything is learned from two answers, each kind in the version that the server prefers", async () => {
  const asked: IncomingMessage[] = [];
  const client = await clientOf(
    {
      "/api": discoveryList([{ metadata: {}, versions: [{ version: "v1", resources: [aggregatedPods] }] }]),
      "/apis": discoveryList([
        {
          metadata: { name: "batch" },
          versions: [
            { version: "v1", freshness: "Current", resources: [jobs("v1")] },
            {
              version: "v1beta1",
              freshness: "Current",
              resources: [
                jobs("v1beta1"),
                { ...jobs("v1beta1"), resource: "oldjobs", scope: "Cluster" },
                { resource: "subresources-only", scope: "Namespaced" },
              ],
            },
          ],
        },
      ]),
    },
    asked,
  );
  const { resources, unavailable } = await discoverApis({ client });
  expect(resources).toEqual([pods, job("v1"), { ...job("v1beta1"), resource: "oldjobs", namespaced: false }]);
  expect(unavailable).toEqual([]);
  expect(asked).toHaveLength(2);
});

test("an API whose server is away is told of apart, whether or not its kinds are known", async () => {
  const client = await clientOf({
    "/api": discoveryList([{ metadata: {}, versions: [{ version: "v1", resources: [aggregatedPods] }] }]),
    "/apis": discoveryList([
      { metadata: { name: "metrics.k8s.io" }, versions: [{ version: "v1beta1", freshness: "Stale" }] },
      { metadata: { name: "batch" }, versions: [{ version: "v1", freshness: "Stale", resources: [jobs("v1")] }] },
    ]),
  });
  const { resources, unavailable } = await discoverApis({ client });
  expect(resources).toEqual([pods, job("v1")]);
  expect(unavailable).toMatchObject([
    { group: "metrics.k8s.io", version: "v1beta1" },
    { group: "batch", version: "v1" },
  ]);
});

test("a server that can't tell all at once is asked group by group, and one that fails hides no other", async () => {
  const pod = { name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["get", "list", "watch"] };
  const batchJob = { name: "jobs", singularName: "job", namespaced: true, kind: "Job", verbs: ["list"] };
  const client = await clientOf({
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/api/v1": {
      resources: [
        { ...pod, shortNames: ["po"], categories: ["all"] },
        { ...pod, name: "pods/log" },
      ],
    },
    "/apis": {
      kind: "APIGroupList",
      groups: [
        { name: "metrics.k8s.io", versions: [{ version: "v1beta1" }], preferredVersion: { version: "v1beta1" } },
        {
          name: "batch",
          versions: [{ version: "v2alpha1" }, { version: "v1" }],
          preferredVersion: { version: "v1" },
        },
      ],
    },
    "/apis/batch/v1": { resources: [batchJob, { ...batchJob, name: "jobs/status" }] },
    "/apis/batch/v2alpha1": { resources: [batchJob] },
  });
  const { resources, unavailable } = await discoverApis({ client });
  expect(resources).toEqual([pods, job("v1")]);
  expect(unavailable).toMatchObject([{ group: "metrics.k8s.io", version: "v1beta1" }]);
});

test("a server that can't be asked at all is an error, and no server without kinds", async () => {
  const client = await clientOf({});
  await expect(discoverApis({ client })).rejects.toMatchObject({ code: "KUBE_UNAVAILABLE" });
});

const pods = {
  group: "",
  version: "v1",
  resource: "pods",
  kind: "Pod",
  singular: "pod",
  namespaced: true,
  verbs: ["get", "list", "watch"],
  shortNames: ["po"],
  categories: ["all"],
};

function job(version: string): typeof pods {
  return {
    group: "batch",
    version,
    resource: "jobs",
    kind: "Job",
    singular: "job",
    namespaced: true,
    verbs: ["list"],
    shortNames: [],
    categories: [],
  };
}

function discoveryList(items: object[]): object {
  return { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {}, items };
}
