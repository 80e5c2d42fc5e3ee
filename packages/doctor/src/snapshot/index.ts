export { type ClusterObject, formatRef, type ObjectMetadata, type ObjectRef, refTo } from "./cluster-object.ts";
export { doctorErrors } from "./errors.ts";
export type { Evidence } from "./evidence.ts";
export { type FromObjectsOptions, snapshotOfObjects } from "./from-objects.ts";
export { listByName } from "./list-by-name.ts";
export {
  formatAddress,
  keyOfQuery,
  type MetricAnswer,
  type MetricQuery,
  type MetricSeries,
  type ServiceAddress,
} from "./metric-query.ts";
export { oncePerSighting } from "./once-per-sighting.ts";
export { oncePerSnapshot } from "./once-per-snapshot.ts";
export { parseYaml, tryParseYaml } from "./parse-yaml.ts";
export { isPlanned, needRunning, runningOf } from "./planned.ts";
export { builtInResources, resourceOf } from "./resource-names.ts";
export {
  type ConfigMapSighting,
  type Look,
  type ObjectSource,
  type Sighting,
  Snapshot,
  type SnapshotParts,
} from "./snapshot.ts";
export { matchesLabels, readTextMap } from "./text-map.ts";
