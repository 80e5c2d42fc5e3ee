import type { AuditQuery, AuditRecord } from "@fairlead/contract";
import type { Wanted } from "./chain-store.ts";

/** The record of a line when it is one of those wanted. Records about other chains alone are for those who ask for them. */
export function createMatcher(query: AuditQuery): (line: string) => AuditRecord | undefined {
  const { user, cluster, verb } = query;
  const sinceMs = query.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(query.since);
  const untilMs = query.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(query.until);
  return (line) => {
    const record = JSON.parse(line) as AuditRecord;
    if (user !== undefined && record.who.name !== user) return undefined;
    if (cluster !== undefined && record.cluster !== cluster) return undefined;
    if (verb === undefined ? record.heads !== undefined : record.verb !== verb) return undefined;
    const atMs = Date.parse(record.at);
    return atMs >= sinceMs && atMs < untilMs ? record : undefined;
  };
}

export function toWanted({ user, cluster, since, until }: AuditQuery): Wanted {
  const toMs = (text: string | undefined): number | undefined => (text === undefined ? undefined : Date.parse(text));
  return { user, cluster, sinceMs: toMs(since), untilMs: toMs(until) };
}
