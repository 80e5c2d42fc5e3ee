import { writeFileSync } from "node:fs";
import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as api from "@opentelemetry/api";
import * as exporter from "@opentelemetry/exporter-trace-otlp-http";
import * as resources from "@opentelemetry/resources";
import * as sdk from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { type Collector, startCollector } from "../testing/start-collector.ts";
import type { Tracing } from "./open-tracing.ts";
import type { TracingConfig } from "./settings.ts";
import { startTracing } from "./start-tracing.ts";

test("a span arrives with its service, its parent, its attributes and its times", async () => {
  await using collector = await startCollector();
  {
    await using tracing = await open(collector);
    const outer = tracing.startSpan({ name: "outer", kind: "server", attributes: { one: 1, none: undefined } });
    tracing.within(outer, () => tracing.startSpan({ name: "inner", startedMs: 1_000 }).end({ endedMs: 3_000 }));
    tracing.startSpan({ name: "beside", parent: outer.traceParent }).end({ errorCode: "SOMETHING_FAILED" });
    outer.end({ attributes: { two: "2" } });
    outer.end({ attributes: { two: "again" } });
  }
  const [outer, inner, beside] = ["outer", "inner", "beside"].map((name) => find(collector, name));
  expect(outer).toMatchObject({ service: "test", kind: 2, parentSpanId: undefined, attributes: { one: 1, two: "2" } });
  expect(outer?.attributes).not.toHaveProperty("none");
  expect(inner).toMatchObject({ parentSpanId: outer?.spanId, traceId: outer?.traceId, startMs: 1_000, endMs: 3_000 });
  expect(beside).toMatchObject({ parentSpanId: outer?.spanId, isError: true });
  expect(beside?.attributes).toEqual({ "error.type": "SOMETHING_FAILED" });
  expect(collector.spans).toHaveLength(3);
});

test("a caller's decision holds, and the ratio decides where there is none", async () => {
  await using collector = await startCollector();
  {
    await using tracing = await open(collector, { traceSampleRatio: 0 });
    const ignored = tracing.startSpan({ name: "nobody decided" });
    expect(ignored.traceParent).toMatch(/-00$/);
    ignored.end();
    tracing.startSpan({ name: "asked for", parent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` }).end();
    tracing.startSpan({ name: "declined", parent: `00-${"c".repeat(32)}-${"d".repeat(16)}-00` }).end();
  }
  expect(collector.spans.map(({ name, traceId }) => [name, traceId])).toEqual([["asked for", "a".repeat(32)]]);
});

test("long texts are cut, and more spans than have room are dropped and counted", async () => {
  await using collector = await startCollector();
  let lost = 0;
  {
    await using tracing = await open(collector);
    tracing.startSpan({ name: `long${"g".repeat(100_000)}`, attributes: { text: "x".repeat(100_000) } }).end();
    // All in one turn: nothing can be sent meanwhile.
    for (let index = 0; index < 5_000; index++) tracing.startSpan({ name: "flood" }).end();
    lost = tracing.counters.lost;
  }
  const long = collector.spans.find(({ name }) => name.startsWith("long"));
  expect([long?.name.length, String(long?.attributes["text"]).length]).toEqual([256, 256]);
  expect(lost).toBeGreaterThan(2_000);
  expect(collector.spans).toHaveLength(5_001 - lost);
});

test("a collector that is away is said once, costs only spans, and delays no end", async () => {
  const lines: string[] = [];
  await using collector = await startCollector();
  collector.status = 400;
  const tracing = await open(collector, {}, lines);
  for (let round = 0; round < 2; round++) {
    for (let index = 0; index < 512; index++) tracing.startSpan({ name: "lost" }).end();
    await expect.poll(() => tracing.counters.lost, { timeout: 60_000 }).toBe(512 * (round + 1));
  }
  expect(lines).toEqual(["the collector takes no traces; spans are dropped"]);
  collector.status = 200;
  for (let index = 0; index < 512; index++) tracing.startSpan({ name: "taken" }).end();
  await expect.poll(() => tracing.counters.sent, { timeout: 60_000 }).toBe(512);
  expect(lines.at(-1)).toBe("the collector takes traces again");
  await tracing[Symbol.asyncDispose]();
});

test("headers come from the file, are read again for each batch, and a line that is none is refused", async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), "tracing-"));
  const file = join(folder.path, "headers");
  writeFileSync(file, "# for the collector\nAuthorization: Bearer one\n\n");
  await using collector = await startCollector();
  {
    await using tracing = await open(collector, { otlpHeadersFile: file });
    for (let index = 0; index < 512; index++) tracing.startSpan({ name: "first" }).end();
    await expect.poll(() => tracing.counters.sent, { timeout: 60_000 }).toBe(512);
    writeFileSync(file, "Authorization: Bearer two\n");
    tracing.startSpan({ name: "second" }).end();
  }
  expect(collector.headers.map(({ authorization }) => authorization)).toEqual(["Bearer one", "Bearer two"]);

  writeFileSync(file, "Authorization Bearer secret\n");
  const refused = await open(collector, { otlpHeadersFile: file }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "TRACE_HEADERS_INVALID" });
  expect(String(refused)).not.toContain("secret");
  const missing = await open(collector, { otlpHeadersFile: join(folder.path, "none") }).catch(
    (error: unknown) => error,
  );
  expect(missing).toMatchObject({ code: "TRACE_HEADERS_UNREADABLE" });
});

test("without a collector no library is loaded", async () => {
  const load = (): never => {
    throw new Error("loaded");
  };
  const config = { otlpEndpoint: undefined, otlpHeadersFile: undefined, traceSampleRatio: 1 };
  expect(await startTracing(config, { log: quiet, resource: {}, load })).toBeUndefined();
});

async function open(collector: Collector, config: Partial<TracingConfig> = {}, lines: string[] = []): Promise<Tracing> {
  const note = (_: object, message: string): void => void lines.push(message);
  const tracing = await startTracing(
    { otlpEndpoint: collector.url, otlpHeadersFile: undefined, traceSampleRatio: 1, ...config },
    {
      log: { info: note, warn: note },
      resource: { "service.name": "test" },
      load: async () => ({ api, exporter, resources, sdk }),
    },
  );
  if (tracing === undefined) throw new Error("nothing is traced");
  return tracing;
}

function find({ spans }: Collector, name: string) {
  return spans.find((span) => span.name === name);
}

const quiet = { info: () => undefined, warn: () => undefined };
