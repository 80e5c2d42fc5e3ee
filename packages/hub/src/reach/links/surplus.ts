// A cluster may have so many links of each kind of agents. Agents are of one kind when their certificates give them the
// same roles. So none of them can take the place of agents that do something else.
import { tooManyLinks } from "./errors.ts";
import type { LinkRecord } from "./record.ts";
import { type AgentKind, isSameKind } from "./same-agent.ts";

/**
 * The link to end when there are too many that wait for their next connection: each costs memory for half a minute, and
 * an agent that begins one after the other and drops them would make any number of them. The oldest goes.
 */
export function findSurplus(records: readonly LinkRecord[], kind: AgentKind): LinkRecord | undefined {
  const waiting = records.filter((record) => isSameKind(record, kind) && record.link.state === "resuming");
  return waiting.length > mostWaiting ? waiting[0] : undefined;
}

/**
 * The link to end for a new one, if one is in its way: that of an agent which has lost its connection, or has a newer
 * link. Throws when all that there may be are in use.
 */
export function makeRoom(records: readonly LinkRecord[], kind: AgentKind): LinkRecord | undefined {
  const ofCluster = records.filter(({ cluster }) => cluster === kind.cluster);
  const ofKind = ofCluster.filter((record) => isSameKind(record, kind));
  if (ofKind.length < mostOfKind && ofCluster.length < mostOfCluster) return undefined;
  const replaceable =
    ofKind.find((record) => record.link.state === "resuming") ?? ofKind.find((record) => record.isGivenUp);
  if (replaceable === undefined) throw tooManyLinks(kind);
  return replaceable;
}

/** More than a cluster has agents of a kind, also while they are rolled out. */
const mostOfKind = 32;
const mostOfCluster = 64;
const mostWaiting = 16;
