// Answers Prometheus on a listener of its own, where the network says who may ask: there is one page and nothing else.
import { type Clock, systemClock } from "./clock.ts";

export interface ScrapedPage {
  readonly contentType: string;
  render(): Promise<string>;
}

export interface ScrapeRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
}

export interface ScrapeResponse {
  writeHead(status: number, headers: Readonly<Record<string, string | number>>): unknown;
  end(body: Uint8Array): unknown;
}

/** The page is made once for all who ask within a second, so that nobody can make a program do nothing else. */
export function createScrapeHandler(options: {
  readonly page: ScrapedPage;
  readonly clock?: Clock;
}): (request: ScrapeRequest, response: ScrapeResponse) => void {
  const { page, clock = systemClock } = options;
  let making: Promise<Uint8Array> | undefined;
  return (request, response) => {
    if (request.url?.split("?")[0] !== metricsPath) return answer(response, 404, toBytes("There is only /metrics.\n"));
    if (request.method !== "GET") return answer(response, 405, toBytes("Use GET.\n"), { allow: "GET" });
    making ??= make();
    making.then(
      (bytes) => answer(response, 200, bytes, { "content-type": page.contentType }),
      () => answer(response, 500, toBytes("The metrics can't be collected.\n")),
    );
  };

  function make(): Promise<Uint8Array> {
    return page
      .render()
      .then(toBytes)
      .finally(() => {
        clock.after(keptMs, () => {
          making = undefined;
        });
      });
  }
}

/** What a listener for scrapes takes of a request: Prometheus sends a few hundred bytes and keeps its connections. */
export const scrapeLimits = {
  headBytes: 8_192,
  headMs: 5_000,
  idleMs: 70_000,
  connections: 64,
  connectionsPerAddress: 16,
} as const;

function answer(
  response: ScrapeResponse,
  status: number,
  body: Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": body.byteLength,
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(body);
}

function toBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

const metricsPath = "/metrics";
const keptMs = 1_000;
