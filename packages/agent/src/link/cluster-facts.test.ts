import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { createKubeClient } from "@fairlead/kube";
import { expect, test, vi } from "vitest";
import { type ClusterFacts, learnClusterFacts } from "./cluster-facts.ts";

async function learnFrom(listener: RequestListener): Promise<{ facts: ClusterFacts; warnings: number }> {
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
  // Waits pass at once.
  const clock = {
    now: () => 0,
    after: (_: number, callback: () => void): (() => void) => {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    },
  };
  const warn = vi.fn();
  let facts: ClusterFacts = { kubernetesVersion: "", kubeSystemUid: "" };
  const { signal } = new AbortController();
  const onLearned = (learned: ClusterFacts): void => {
    facts = learned;
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
