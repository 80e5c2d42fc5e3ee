import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createSkippingClock } from "@fairlead/kernel/testing";
import { createKubeClient } from "@fairlead/kube";
import { expect, test, vi } from "vitest";
import { type ClusterFacts, learnClusterFacts } from "./cluster-facts.ts";

async function learnFrom(
  listener: RequestListener,
  isKnown: (facts: ClusterFacts) => boolean = () => true,
): Promise<{ facts: ClusterFacts; warnings: number }> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  await using client = createKubeClient({
    access: {
      server: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
      insecureSkipTlsVerify: false,
      authorization: () => undefined,
      namespace: "default",
    },
  });
  const clock = createSkippingClock();
  const warn = vi.fn();
  let facts: ClusterFacts = { kubernetesVersion: "", kubeSystemUid: "" };
  const stop = new AbortController();
  const { signal } = stop;
  const onLearned = (learned: ClusterFacts): void => {
    facts = learned;
    if (isKnown(learned)) stop.abort();
  };
  await learnClusterFacts({ client, clock, signal, log: { warn }, onLearned });
  server.closeAllConnections();
  server.close();
  return { facts, warnings: warn.mock.calls.length };
}

test("an API server that is down at first is asked until it answers, and said once", async () => {
  let asked = 0;
  const { facts, warnings } = await learnFrom((request, response) => {
    if (asked++ < 5) return void response.writeHead(503).end("starting");
    response.end(request.url === "/version" ? '{"gitVersion":"v1.36.1"}' : '{"metadata":{"uid":"u-1"}}');
  });
  expect(facts).toEqual({ kubernetesVersion: "v1.36.1", kubeSystemUid: "u-1" });
  expect(warnings).toBe(1);
});

test("an agent that may not read kube-system still says its version", async () => {
  const { facts } = await learnFrom((request, response) => {
    if (request.url === "/version") return void response.end('{"gitVersion":"v1.36.1"}');
    response.writeHead(403).end('{"kind":"Status","apiVersion":"v1","reason":"Forbidden"}');
  });
  expect(facts).toEqual({ kubernetesVersion: "v1.36.1", kubeSystemUid: "" });
});

test("what a kubeconfig leads to is asked again: another cluster may answer there by now", async () => {
  const learned: string[] = [];
  let asked = 0;
  await learnFrom(
    (request, response) => {
      if (request.url === "/version") return void response.end('{"gitVersion":"v1.36.1"}');
      asked++;
      if (asked === 2) return void response.writeHead(503).end("busy");
      response.end(`{"metadata":{"uid":"${asked < 4 ? "u-1" : "u-2"}"}}`);
    },
    ({ kubeSystemUid }) => learned.push(kubeSystemUid) === 2,
  );
  expect(learned).toEqual(["u-1", "u-2"]);
});
