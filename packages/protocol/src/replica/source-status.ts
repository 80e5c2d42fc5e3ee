import type { SourceRecord } from "./source-record.ts";
import type { ReplicaRefusal } from "./types.ts";

export interface ReplicaSourceStatus {
  readonly state: "away" | "listing" | "comparing" | "open";
  readonly objects: number;
  readonly dirty: number;
  readonly unacked: number;
  /** Age of the oldest change that the target hasn't committed; 0 when there is none. */
  readonly oldestDirtyMs: number;
  /** Since both sides compared all objects last. */
  readonly comparedMsAgo: number | undefined;
  readonly unsure: readonly string[];
  readonly refused: readonly ({ readonly uid: string } & ReplicaRefusal)[];
}

export function toSourceStatus(
  all: ReadonlyMap<string, SourceRecord>,
  source: Pick<ReplicaSourceStatus, "state" | "unacked"> & {
    readonly comparedAtMs: number | undefined;
    readonly nowMs: number;
  },
): ReplicaSourceStatus {
  const { nowMs, comparedAtMs, ...told } = source;
  const records = [...all];
  const dirtySince = records.map(([, record]) => record.dirtySinceMs).filter((time) => time > 0);
  const oldest = dirtySince.reduce((least, time) => Math.min(least, time), nowMs);
  return {
    ...told,
    comparedMsAgo: comparedAtMs === undefined ? undefined : nowMs - comparedAtMs,
    objects: records.filter(([, { wanted }]) => typeof wanted === "bigint").length,
    dirty: dirtySince.length,
    oldestDirtyMs: nowMs - oldest,
    unsure: records.filter(([, { wanted }]) => wanted === "unsure").map(([uid]) => uid),
    refused: records.flatMap(([uid, { refused }]) => (refused === undefined ? [] : [{ uid, ...refused }])),
  };
}
