import { setImmediate } from "node:timers/promises";
import type { Registry } from "prom-client";

/**
 * Makes the page of all metrics. A thousand clusters have 60,000 series: what else the process does has its turns
 * meanwhile, so the numbers of a page are some milliseconds apart.
 */
export async function renderMetrics(registry: Registry): Promise<string> {
  const texts: string[] = [];
  let beganMs = performance.now();
  for (const { name } of registry.getMetricsAsArray()) {
    texts.push(await registry.getSingleMetricAsString(name));
    if (performance.now() - beganMs < turnMs) continue;
    await setImmediate();
    beganMs = performance.now();
  }
  return `${texts.join("\n\n")}\n`;
}

const turnMs = 5;
