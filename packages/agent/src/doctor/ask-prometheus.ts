// Asks a Prometheus of the cluster, at the Service that detection found there and nowhere else: no proxy, no redirects, for
// a bounded time, and for a bounded answer.

import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import type { MetricAnswer, MetricQuery, MetricSeries } from "@fairlead/doctor";
import { Fields, isDnsLabel } from "@fairlead/kernel";
import { nodeHttp } from "@fairlead/protocol";

export type AskPrometheus = (query: MetricQuery, signal: AbortSignal) => Promise<MetricAnswer>;

export function createPrometheusAsker(
  options: {
    /** How names become addresses; the system's way unless told. */
    readonly lookup?: LookupFunction;
    readonly timeoutMs?: number;
  } = {},
): AskPrometheus {
  const { lookup, timeoutMs = 5_000 } = options;
  return async ({ address, query }, signal) => {
    const { scheme, namespace, name, port } = address;
    if (!isDnsLabel(namespace) || !isDnsLabel(name))
      return { is: "hidden", why: "that isn't a valid name of a Service" };
    const url = new URL(`${scheme}://${name}.${namespace}.svc:${port}/api/v1/query`);
    url.searchParams.set("query", query);
    const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      return readAnswer(await get(url, { lookup, signal: until }));
    } catch (error) {
      signal.throwIfAborted();
      return { is: "hidden", why: until.aborted ? `nothing came within ${timeoutMs / 1000} s` : codeOf(error) };
    }
  };
}

interface HttpAnswer {
  readonly status: number;
  /** Undefined: it was too long. */
  readonly body: string | undefined;
}

function get(
  url: URL,
  { lookup, signal }: { readonly lookup: LookupFunction | undefined; readonly signal: AbortSignal },
): Promise<HttpAnswer> {
  const isTls = url.protocol === "https:";
  // A separate agent ignores the proxies that the environment names.
  const agent = isTls ? new HttpsAgent({ keepAlive: false }) : new nodeHttp.Agent({ keepAlive: false });
  const headers = { accept: "application/json", "accept-encoding": "identity" };
  return new Promise((resolve, reject) => {
    const request = (isTls ? requestHttps : nodeHttp.request)(url, {
      agent,
      headers,
      signal,
      ...(lookup && { lookup }),
    });
    request.once("error", reject);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      let sizeBytes = 0;
      response.once("error", reject);
      response.on("data", (chunk: Buffer) => {
        sizeBytes += chunk.length;
        if (sizeBytes <= maxAnswerBytes) chunks.push(chunk);
        else {
          resolve({ status: response.statusCode ?? 0, body: undefined });
          response.destroy();
        }
      });
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString("utf8") }),
      );
    });
    request.end();
  });
}

function readAnswer({ status, body }: HttpAnswer): MetricAnswer {
  if (status === 401 || status === 403) return { is: "hidden", why: `it requires authentication (${status})` };
  if (status >= 300 && status < 400) return { is: "refused", why: `it redirects the request (${status})` };
  if (status !== 200) return { is: "refused", why: `it answers with status ${status}` };
  if (body === undefined) return { is: "refused", why: "its answer is longer than expected" };
  const answer = new Fields(parseJson(body));
  const data = answer.at("data");
  if (answer.at("status").text() !== "success" || data.at("resultType").text() !== "vector")
    return { is: "refused", why: "it doesn't answer as Prometheus does" };
  const series = data.at("result").list().slice(0, maxSeries).map(toSeries);
  return { is: "answered", series: series.filter(({ value }) => Number.isFinite(value)) };
}

function toSeries(series: Fields): MetricSeries {
  const labels = series.at("metric").entries();
  return {
    labels: Object.fromEntries(labels.map(([name, value]) => [name, value.text() ?? ""])),
    value: Number(series.at("value").list()[1]?.text() ?? Number.NaN),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Messages of the system name addresses. */
function codeOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : "the connection failed";
}

const maxAnswerBytes = 64 * 1024;
const maxSeries = 64;
