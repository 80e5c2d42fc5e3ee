import { carryMetadata } from "./metadata.ts";
import type { CarriedMetadata, GitopsObject } from "./objects.ts";

/** An AppProject. */
export interface ProjectPart {
  readonly metadata: CarriedMetadata;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** A Secret or a ConfigMap. */
export interface DataPart {
  readonly metadata: CarriedMetadata;
  /** A Secret's values are base64, as in the API. */
  readonly data: Readonly<Record<string, string>>;
  /** A Secret's type; empty for a ConfigMap. */
  readonly type: string;
}

export function toProjectPart({ metadata, spec }: GitopsObject): ProjectPart {
  return { metadata: carryMetadata(metadata), spec: (spec ?? {}) as ProjectPart["spec"] };
}

export function toDataPart({ metadata, data, type }: GitopsObject): DataPart {
  return {
    metadata: carryMetadata(metadata),
    data: (data ?? {}) as DataPart["data"],
    type: typeof type === "string" ? type : "",
  };
}
