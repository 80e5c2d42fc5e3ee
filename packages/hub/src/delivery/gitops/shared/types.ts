import type { DataPart, ProjectPart } from "@fairlead/protocol";

export type SharedPart = ProjectPart | DataPart;

/** An object in Argo CD's namespace on the hub, as far as clusters get it. */
export interface SharedObject {
  readonly uid: string;
  readonly name: string;
  readonly part: SharedPart;
  /** The version of the part. */
  readonly version: bigint;
  readonly sizeBytes: number;
}

export interface SharedListener {
  /** `objects` are all there are. */
  listed(): void;
  changed(object: SharedObject): void;
  deleted(object: SharedObject): void;
  /** There are more than the hub keeps: what is known is old, and no comparison may begin. */
  unlisted(): void;
}

export interface SharedLimits {
  readonly maxObjects: number;
  readonly maxBytes: number;
}

export interface SharedLog {
  warn(fields: object, message: string): void;
}
