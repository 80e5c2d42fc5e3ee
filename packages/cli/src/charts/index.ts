export { type Capabilities, type Charts, openCharts, type RenderRequest } from "./charts.ts";
export { chartErrors } from "./errors.ts";
export type { ChartSource, FetchedChart } from "./fetch-chart.ts";
export { readManifest } from "./manifest.ts";
