import { openTracing, type Tracing, type TracingLibraries } from "./open-tracing.ts";
import { createHeaderSource, type TracingConfig } from "./settings.ts";

/** Undefined where no collector is named. */
export async function startTracing(
  { otlpEndpoint: endpoint, otlpHeadersFile: headersFile, traceSampleRatio: sampleRatio }: TracingConfig,
  {
    log,
    resource,
    load,
  }: {
    readonly log: TracingLog;
    readonly resource: Readonly<Record<string, string>>;
    /** Called only where a collector is named. */
    readonly load: () => Promise<TracingLibraries>;
  },
): Promise<Tracing | undefined> {
  if (endpoint === undefined) return undefined;
  return openTracing(await load(), {
    endpoint,
    sampleRatio,
    resource,
    ...(headersFile === undefined ? {} : { headers: createHeaderSource(headersFile) }),
    onChanged(error) {
      if (error) log.warn({ reason: error.message, endpoint }, "the collector takes no traces; spans are dropped");
      else log.info({ endpoint }, "the collector takes traces again");
    },
  });
}

export interface TracingLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}
