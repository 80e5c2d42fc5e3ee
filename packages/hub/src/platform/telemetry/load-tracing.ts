import type { TracingLibraries } from "@fairlead/kernel/tracing";

/** They take memory and time to load, so only a program that traces loads them. */
export async function loadTracing(): Promise<TracingLibraries> {
  const [api, exporter, resources, sdk] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
    import("@opentelemetry/sdk-trace"),
  ]);
  return { api, exporter, resources, sdk };
}
