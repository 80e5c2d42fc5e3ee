import type { Server } from "node:http";
import { sleep } from "@fairlead/kernel";
import { sendClientsAway, stopListening } from "./platform/server/index.ts";
import type { Succession } from "./platform/store/index.ts";
import type { Logger, Readiness } from "./platform/telemetry/index.ts";
import type { LinkService } from "./reach/links/index.ts";
import type { ClusterProxy } from "./reach/proxy/index.ts";

/**
 * Lets a hub that waits for the data folder have it, and goes on serving what needs no store until that one serves. Then
 * both do for a moment: balancers see that this one isn't ready any more, clients are sent away with their next answer.
 * Agents move after that, and what the next hub is asked before they are there waits for them. False when there was none.
 */
export async function handOver(options: {
  readonly succession: Succession | undefined;
  /** Freed while this hub still can. */
  readonly leases: AsyncDisposable;
  readonly audit: { handOver(): Promise<void> };
  readonly readiness: Readiness;
  readonly people: Server;
  readonly log: Logger;
}): Promise<boolean> {
  const { succession, leases, audit, readiness, people, log } = options;
  if (!(await succession?.isAwaited())) return false;
  log.info({}, "another hub waits for the data folder and gets it");
  await leases[Symbol.asyncDispose]();
  await audit.handOver();
  await succession?.letGo();
  const isServed = await succession?.untilServed(servedMs);
  readiness.stop();
  if (!isServed) {
    log.error({}, "the other hub doesn't serve; this one can't go on without its data");
    return false;
  }
  log.info({ bothMs }, "the other hub serves; clients are sent there");
  sendClientsAway(people);
  await sleep(bothMs);
  return true;
}

/** Not ready, GOAWAY, nothing new, what is in flight until the deadline, then the links. The store comes after. */
export async function drainHub(options: {
  readonly readiness: Readiness;
  readonly links: LinkService;
  readonly proxy: ClusterProxy;
  readonly people: Server;
  readonly agents: Server;
  readonly drainMs: number;
  /** The streams that this hub passes on for others; undefined where there is one hub only. */
  readonly relayed: { readonly active: number } | undefined;
  /** When agents should dial again: at once when another hub is there. */
  readonly reconnectAfterMs: number;
  readonly log: Logger;
}): Promise<void> {
  const { readiness, links, proxy, people, agents, drainMs, relayed, reconnectAfterMs, log } = options;
  readiness.stop();
  log.info({ drainMs }, "hub is stopping");
  sendClientsAway(people);
  const ends = [stopListening(people), stopListening(agents)];
  void links.drain({ reason: "hub is stopping", drainMs, reconnectAfterMs });
  proxy.endWatches();
  const deadline = new AbortController();
  const { signal } = deadline;
  const done = Promise.all([ends[0]?.closed, untilPassedOn(relayed, signal)]);
  await Promise.race([done, sleep(drainMs, { signal }).catch(() => undefined)]);
  deadline.abort();
  links[Symbol.dispose]();
  // Cut streams cut their clients in their turn; what is left after that belongs to nobody.
  await Promise.race([Promise.all(ends.map((end) => end.closed)), sleep(closeMs)]);
  for (const end of ends) end.cut();
  await Promise.all(ends.map((end) => end.closed));
}

/** Other hubs' people have requests in flight through this hub. */
async function untilPassedOn(relayed: { readonly active: number } | undefined, signal: AbortSignal): Promise<void> {
  while (relayed && relayed.active > 0 && !signal.aborted) await sleep(lookMs, { signal }).catch(() => undefined);
}

const lookMs = 50;
const closeMs = 500;
/** Opening a large database takes a while. */
const servedMs = 60_000;
/** A few looks of a balancer, and less than requests wait for an agent. */
const bothMs = 2_000;
