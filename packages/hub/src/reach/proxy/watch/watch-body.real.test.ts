// Events of a real API server, in each of its formats: the version with which the hub would end the watch is the last one's.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { startCluster, type TestCluster } from "@fairlead/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { proxyErrors } from "../errors.ts";
import { toStatus } from "../status.ts";
import { watchFormatOf } from "./event-tracker.ts";
import { encodeBookmark, encodeErrorEvent } from "./own-events.ts";
import { openWatchBody } from "./watch-body.ts";

const status = toStatus(proxyErrors.PROXY_WATCH_ENDED(), { requestId: "id" });
let cluster: TestCluster;

beforeAll(async () => {
  const featureGates = ["--feature-gates=CBORServingAndStorage=true"];
  cluster = await startCluster({ name: "watches", nodes: 0, extraArgs: { "kube-apiserver": featureGates } });
  await cluster.kubectl(["apply", "--server-side", "-f", "-"], { input: JSON.stringify(definition) });
  await cluster.kubectl(["wait", "--for=condition=Established", "crd/ships.example.com", "--timeout=60s"]);
}, 180_000);
afterAll(() => cluster?.[Symbol.asyncDispose]());

const maps = { path: "/api/v1/namespaces/default/configmaps", apiVersion: "v1", kind: "ConfigMap" };
const ships = { path: "/apis/example.com/v1/namespaces/default/ships", apiVersion: "example.com/v1", kind: "Ship" };

test.each([
  ["JSON", "application/json", maps],
  ["JSON of a custom resource, whose metadata is in another order", "application/json", ships],
  ["protobuf", "application/vnd.kubernetes.protobuf;stream=watch", maps],
  ["CBOR", "application/cbor", maps],
  ["CBOR of a custom resource", "application/cbor", ships],
])("%s", async (_, accept, { path, apiVersion, kind }) => {
  // A new kind's storage may still be filled.
  await expect.poll(async () => (await cluster.api.send({ path })).status).toBe(200);
  const { metadata } = await cluster.api.json<Listed>({ path });
  const query = `?watch=1&allowWatchBookmarks=true&resourceVersion=${metadata.resourceVersion}`;
  const answer = await watch(`${path}${query}`, accept);
  const headers = answer.rawHeaders;
  const body = openWatchBody({ path: query, headers, contentLength: -1 });
  answer.on("data", (chunk: Buffer) => body?.push(chunk));

  let last = "";
  for (const name of ["a", "b"]) {
    const annotations = { resourceVersion: "999999999", note: 'a "quoted" \\ text' };
    const object = { apiVersion, kind, metadata: { name, annotations } };
    ({
      metadata: { resourceVersion: last = "" },
    } = await cluster.api.json<Listed>({
      method: "POST",
      path,
      body: object,
    }));
  }
  const format = watchFormatOf(headers);
  if (format === undefined) throw new Error(`the API server answers ${answer.headers["content-type"]}`);
  const bookmark = encodeBookmark(format, { apiVersion, kind, resourceVersion: last });
  await expect
    .poll(() => body?.lastEvents(status)?.toString("latin1"), { timeout: 60_000 })
    .toBe(Buffer.concat([bookmark, encodeErrorEvent(format, status)]).toString("latin1"));
  answer.destroy();
  for (const name of ["a", "b"]) await cluster.api.send({ method: "DELETE", path: `${path}/${name}` });
});

interface Listed {
  readonly metadata: { readonly resourceVersion: string };
}

async function watch(path: string, accept: string): Promise<IncomingMessage> {
  const call = request(new URL(path, cluster.url), {
    ca: cluster.caPem,
    headers: { authorization: `Bearer ${cluster.adminToken}`, accept },
  });
  call.end();
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  answer.on("error", () => undefined);
  return answer;
}

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "ships.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { plural: "ships", singular: "ship", kind: "Ship" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};
