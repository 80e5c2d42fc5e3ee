export { type Capabilities, type Charts, openCharts, type RenderRequest } from "./charts.ts";
export { chartErrors } from "./errors.ts";
export { type ChartSource, type FetchedChart, isOci } from "./fetch-chart.ts";
export { readManifest } from "./manifest.ts";
