import { type Clock, createScrapeHandler, scrapeLimits } from "@fairlead/kernel";
import { nodeHttp } from "@fairlead/protocol";
import type { Registry } from "prom-client";
import { type PageServer, startServer } from "./listen.ts";

/** Serves `/metrics` and nothing else, for a port that only Prometheus reaches. */
export async function serveMetrics(options: {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  readonly clock: Clock;
}): Promise<PageServer> {
  const { host, port, registry, clock } = options;
  const { headBytes, headMs, idleMs, connections } = scrapeLimits;
  const page = { contentType: registry.contentType, render: () => registry.metrics() };
  const limits = {
    maxHeaderSize: headBytes,
    headersTimeout: headMs,
    requestTimeout: headMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: headMs,
  };
  const server = nodeHttp.createServer(limits, createScrapeHandler({ page, clock }));
  server.maxConnections = connections;
  // Also for who asks and doesn't read the answer.
  server.timeout = idleMs;
  return await startServer(server, { host, port });
}
