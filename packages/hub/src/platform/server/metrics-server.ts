// The listener for Prometheus alone, where the network says who may ask: no sign-in, no TLS, one page.
import type { Server } from "node:http";
import { type Clock, createScrapeHandler, type ScrapedPage, scrapeLimits } from "@fairlead/kernel";
import type { Logger } from "../telemetry/index.ts";
import { createPlainListener } from "./listener.ts";
import { createTrustedProxies } from "./remote-address.ts";

export function createMetricsServer(options: {
  readonly page: ScrapedPage;
  readonly clock: Clock;
  readonly log: Logger;
}): Server {
  const { page, clock, log } = options;
  const { headBytes, headMs, idleMs, connections, connectionsPerAddress } = scrapeLimits;
  const server = createPlainListener({
    requestTimeoutMs: headMs,
    heads: { timeoutMs: headMs, maxBytes: headBytes, idleMs },
    bound: {
      connectionsPerAddress: 0,
      unknownConnectionsPerAddress: connectionsPerAddress,
      unknownConnections: connections,
      trustedProxies: createTrustedProxies([]),
      onRefused: (about) => log.warn({ ...about, listener: "metrics" }, "too many connections for metrics"),
    },
  });
  // Also for who asks and doesn't read the answer.
  server.timeout = idleMs;
  server.on("request", createScrapeHandler({ page, clock }));
  return server;
}
