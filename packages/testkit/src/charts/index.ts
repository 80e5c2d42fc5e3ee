export {
  type ChartName,
  chartFolder,
  type Helm,
  imageRegistry,
  type Manifest,
  openHelm,
  type RenderOptions,
} from "./helm.ts";
export { type PodProgram, readPodProgram } from "./pod-program.ts";
export { type ChartRepository, type ChartRepositoryOptions, startChartRepository } from "./start-chart-repository.ts";
