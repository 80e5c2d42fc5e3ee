import type { AuditQuery, AuditRecord } from "@fairlead/contract";

/** The record of a line when it is one of those wanted. */
export function createMatcher(query: AuditQuery): (line: string) => AuditRecord | undefined {
  const { user, cluster, verb } = query;
  const sinceMs = query.since === undefined ? Number.NEGATIVE_INFINITY : Date.parse(query.since);
  const untilMs = query.until === undefined ? Number.POSITIVE_INFINITY : Date.parse(query.until);
  return (line) => {
    const record = JSON.parse(line) as AuditRecord;
    if (user !== undefined && record.who.name !== user) return undefined;
    if (cluster !== undefined && record.cluster !== cluster) return undefined;
    if (verb !== undefined && record.verb !== verb) return undefined;
    const atMs = Date.parse(record.at);
    return atMs >= sinceMs && atMs < untilMs ? record : undefined;
  };
}
