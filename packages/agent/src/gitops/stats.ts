import type { Ends } from "./ends.ts";

/** For metrics. */
export interface GitopsStats {
  /** A call is open and the hub has welcomed it. */
  readonly isConnected: boolean;
  /** By flow: objects at this end. */
  readonly objects: Readonly<Record<string, number>>;
  /** By flow: changes that the hub hasn't committed. */
  readonly pending: Readonly<Record<string, number>>;
  /** By flow: objects that the hub doesn't take now. */
  readonly refused: Readonly<Record<string, number>>;
  /** By flow: copies that aren't as the hub has them. */
  readonly drifted: Readonly<Record<string, number>>;
  /** The age of the oldest pending change. */
  readonly oldestPendingMs: number;
}

export function countEnds(ends: Ends | undefined, isConnected: boolean): GitopsStats {
  const sources = [...(ends?.sources ?? [])].map(([flow, source]) => [flow, source.status()] as const);
  const targets = [...(ends?.targets ?? [])].map(([flow, target]) => [flow, target.status()] as const);
  return {
    isConnected,
    objects: Object.fromEntries([...sources, ...targets].map(([flow, { objects }]) => [flow, objects])),
    pending: Object.fromEntries(sources.map(([flow, { dirty }]) => [flow, dirty])),
    refused: Object.fromEntries(sources.map(([flow, { refused }]) => [flow, refused.length])),
    drifted: Object.fromEntries(targets.map(([flow, { drifted }]) => [flow, drifted])),
    oldestPendingMs: Math.max(0, ...sources.map(([, { oldestDirtyMs }]) => oldestDirtyMs)),
  };
}
