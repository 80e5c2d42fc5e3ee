import { keyOfQuery, type Look, type MetricQuery } from "@fairlead/doctor";

/** Notes everything that checks looked at, so that it can be read for the next examination. */
export interface Looks {
  readonly resources: Set<string>;
  /** `namespace/name`. */
  readonly configMaps: Set<string>;
  /** By `keyOfQuery`. */
  readonly metrics: Map<string, MetricQuery>;
}

export function noLooks(): Looks {
  return { resources: new Set(), configMaps: new Set(), metrics: new Map() };
}

export function noteLook(looks: Looks, look: Look): void {
  switch (look.at) {
    case "resource":
      looks.resources.add(look.resource);
      break;
    case "config-map":
      if (looks.configMaps.size < maxConfigMaps) looks.configMaps.add(`${look.namespace}/${look.name}`);
      break;
    case "metric":
      if (looks.metrics.size < maxQueries) looks.metrics.set(keyOfQuery(look.query), look.query);
      break;
    default:
      look satisfies never;
  }
}

/** Bounds the ConfigMaps that are read, because people who write a workload's arguments choose their names. */
const maxConfigMaps = 64;
/** Each takes as long as a Prometheus lets it. */
const maxQueries = 4;
