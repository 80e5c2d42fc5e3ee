// The settings of tracing, for the hub and for the agent.
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { reasonOf } from "../errors.ts";
import { file, group, kindOf, type SettingTable, text } from "../settings/index.ts";
import { tracingErrors } from "./errors.ts";

export interface TracingConfig {
  readonly otlpEndpoint: string | undefined;
  readonly otlpHeadersFile: string | undefined;
  readonly traceSampleRatio: number;
}

export const tracingSettings: SettingTable<TracingConfig> = group<TracingConfig>("Tracing", {
  otlpEndpoint: {
    kind: text({
      placeholder: "URL",
      expected: "an http:// or https:// URL without credentials, for example http://collector.example.com:4318",
      isText: isEndpoint,
    }),
    help: "OpenTelemetry collector that takes traces by OTLP/HTTP; without it nothing is traced",
    details: "Spans are sent to `v1/traces` below this URL ([tracing](tracing.md)).",
  },
  otlpHeadersFile: {
    kind: file(),
    help: "File with headers for the collector, one `Name: value` a line",
    details: "It is read again for each batch, so a token can be replaced without a restart.",
  },
  traceSampleRatio: {
    kind: kindOf({
      placeholder: "RATIO",
      range: "0 to 1",
      expected: "a number from 0 to 1, for example 0.05",
      read: readRatio,
    }),
    fallback: 1,
    help: "Share of traces to keep where the caller hasn't decided by its traceparent header",
  },
});

/** Read when the program starts, so that a mistake is said at once, and again for each batch. */
export function createHeaderSource(path: string): () => Promise<Readonly<Record<string, string>>> {
  let known = parseHeaders(path, readFirst(path));
  return async () => {
    // A file that is just being replaced leaves the headers as they were.
    known = await readFile(path, "utf8")
      .then((text) => parseHeaders(path, text))
      .catch(() => known);
    return known;
  };
}

function readFirst(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw tracingErrors.TRACE_HEADERS_UNREADABLE({ path, reason: reasonOf(cause), cause });
  }
}

function isEndpoint(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password, search, hash } = new URL(value);
  return /^https?:$/.test(protocol) && username + password + search + hash === "";
}

function readRatio(given: unknown): number | undefined {
  const text = typeof given === "number" ? String(given) : given;
  if (typeof text !== "string" || !/^(?:0|1|[01]?\.\d{1,9}|1\.0+)$/.test(text)) return undefined;
  return Number(text) <= 1 ? Number(text) : undefined;
}

function parseHeaders(path: string, text: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split("\n").entries()) {
    const trimmed = line.trim();
    if (trimmed === "" || trimmed.startsWith("#")) continue;
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(trimmed) ?? [];
    if (name === undefined || value === undefined) throw tracingErrors.TRACE_HEADERS_INVALID({ path, line: index + 1 });
    headers[name] = value;
  }
  return headers;
}
