import type { AuditQuery } from "@fairlead/contract";
import type { Command } from "../../command.ts";
import { parseTime } from "../../output/index.ts";

export interface FilterOptions {
  readonly user?: string;
  readonly cluster?: string;
  readonly since?: string;
  readonly until?: string;
}

export function addFilters(command: Command): Command {
  return command
    .option("--user <user>", "Only entries of this user")
    .option("--cluster <cluster>", "Only entries of this cluster")
    .option("--since <time>", "Start of the period: an age (2h, 7d) or a date (2026-05-06, 2026-05-06T12:00:00Z)")
    .option("--until <time>", "End of the period, written as for --since");
}

export function toQuery(options: FilterOptions, now: number): AuditQuery {
  const { user, cluster, since, until } = options;
  return {
    user,
    cluster,
    since: since === undefined ? undefined : parseTime(since, now),
    until: until === undefined ? undefined : parseTime(until, now),
  };
}
