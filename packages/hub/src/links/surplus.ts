import type { LinkRecord } from "./registry.ts";

/**
 * The link to end when a cluster has too many that wait for their next connection: each costs memory for half a minute,
 * and an agent that begins one after the other and drops them would make any number of them. The oldest goes.
 */
export function findSurplus(records: readonly LinkRecord[], cluster: string): LinkRecord | undefined {
  const waiting = records.filter((record) => record.cluster === cluster && record.link.state === "resuming");
  return waiting.length > mostWaiting ? waiting[0] : undefined;
}

/** More than a cluster has agents. */
const mostWaiting = 64;
