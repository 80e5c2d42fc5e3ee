import type { ServerResponse } from "node:http";
import { toFairleadError } from "@fairlead/kernel";
import { nodeHttp } from "@fairlead/protocol";
import type { Registry } from "prom-client";
import { type PageServer, startServer } from "./listen.ts";

export interface HealthOptions {
  readonly host: string;
  readonly port: number;
  readonly registry: Registry;
  /** Each must do a round trip; a socket that is merely open proves nothing. */
  readonly checks: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>;
}

/** `/healthz` (the process turns), `/readyz` (requests would work) and `/metrics`. */
export async function serveHealth(options: HealthOptions): Promise<PageServer> {
  const { host, port, registry, checks } = options;
  const server = nodeHttp.createServer((request, response) => {
    const path = request.url?.split("?")[0];
    if (request.method !== "GET" && request.method !== "HEAD") answer(response, 405, "only GET\n");
    else if (path === "/healthz") answer(response, 200, "ok\n");
    else if (path === "/readyz") void answerReady(response);
    else if (path === "/metrics") void answerMetrics(response);
    else answer(response, 404, "there is /healthz, /readyz and /metrics\n");
  });
  return await startServer(server, { host, port });

  async function answerReady(response: ServerResponse): Promise<void> {
    const signal = AbortSignal.timeout(checkTimeoutMs);
    const lines = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => {
        try {
          await check(signal);
          return `[+] ${name} ok`;
        } catch (error) {
          return `[-] ${name} failed: ${signal.aborted ? "no answer in time" : toFairleadError(error).message}`;
        }
      }),
    );
    answer(response, lines.every((line) => line.startsWith("[+]")) ? 200 : 503, `${lines.join("\n")}\n`);
  }

  async function answerMetrics(response: ServerResponse): Promise<void> {
    const text = await registry.metrics().catch(() => undefined);
    if (text === undefined) answer(response, 500, "the metrics can't be collected\n");
    else answer(response, 200, text, registry.contentType);
  }
}

function answer(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  response.writeHead(status, { "content-type": type, "content-length": Buffer.byteLength(text) });
  response.end(text);
}

const checkTimeoutMs = 3_000;
