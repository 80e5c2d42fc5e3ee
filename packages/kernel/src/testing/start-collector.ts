// A collector of OTLP/HTTP with JSON, as far as tests ask it.
import { once } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface Collector extends AsyncDisposable {
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly headers: IncomingHttpHeaders[];
  /** What it answers; 200 unless set. */
  status: number;
}

export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly startMs: number;
  readonly endMs: number;
}

export async function startCollector(): Promise<Collector> {
  // An import of its values would load Node's `fetch` in each program.
  const server = process.getBuiltinModule("node:http").createServer((request, response) => {
    collector.headers.push(request.headers);
    json(request).then(
      (body) => {
        if (collector.status === 200) collector.spans.push(...readSpans(body as Batch));
        response.writeHead(collector.status, { "content-type": "application/json" }).end("{}");
      },
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const collector: Collector = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: [],
    headers: [],
    status: 200,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return collector;
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

interface WireSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly KeyValue[];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function readSpans({ resourceSpans }: Batch): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = String(toRecord(resource.attributes)["service.name"]);
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => readSpan(service, span)));
  });
}

function readSpan(service: string, span: WireSpan): CollectedSpan {
  const { name, kind, traceId, spanId, parentSpanId, status, attributes } = span;
  return {
    service,
    name,
    kind,
    traceId,
    spanId,
    parentSpanId: parentSpanId || undefined,
    isError: status.code === 2,
    attributes: toRecord(attributes),
    startMs: Number(BigInt(span.startTimeUnixNano) / 1_000_000n),
    endMs: Number(BigInt(span.endTimeUnixNano) / 1_000_000n),
  };
}

function toRecord(pairs: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
