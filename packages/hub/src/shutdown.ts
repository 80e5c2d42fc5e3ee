import type { Server } from "node:https";
import { sleep } from "@fairlead/kernel";
import type { LinkService } from "./links/index.ts";
import type { ClusterProxy } from "./proxy/index.ts";
import { stopListening } from "./server/index.ts";
import type { Logger, Readiness } from "./telemetry/index.ts";

/** Not ready, GOAWAY, nothing new, what is in flight until the deadline, then the links. The store comes after. */
export async function drainHub(options: {
  readonly readiness: Readiness;
  readonly links: LinkService;
  readonly proxy: ClusterProxy;
  readonly people: Server;
  readonly agents: Server;
  readonly drainMs: number;
  readonly log: Logger;
}): Promise<void> {
  const { readiness, links, proxy, people, agents, drainMs, log } = options;
  readiness.stop();
  log.info({ drainMs }, "hub is stopping");
  void links.drain({ reason: "hub is stopping", drainMs, reconnectAfterMs: 1_000 });
  proxy.endWatches();
  const ends = [stopListening(people), stopListening(agents)];
  const deadline = new AbortController();
  await Promise.race([ends[0]?.closed, sleep(drainMs, { signal: deadline.signal }).catch(() => undefined)]);
  deadline.abort();
  links[Symbol.dispose]();
  // Cut streams cut their clients in their turn; what is left after that belongs to nobody.
  await Promise.race([Promise.all(ends.map((end) => end.closed)), sleep(closeMs)]);
  for (const end of ends) end.cut();
  await Promise.all(ends.map((end) => end.closed));
}

const closeMs = 500;
