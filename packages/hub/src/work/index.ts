// The wing of work: what clusters are asked to do, and what became of it.
import type { People } from "../people/index.ts";
import type { Platform } from "../platform/index.ts";
import type { Additions } from "../platform/server/index.ts";
import type { Reach } from "../reach/index.ts";
import { type CommandsRoom, openCommands } from "./commands/index.ts";

export interface Work extends AsyncDisposable {
  readonly addServices: CommandsRoom["addServices"];
  readonly additions: Additions;
  /** Ends all waits of agents and lets no new ones begin, so that links can drain. */
  stop(): void;
}

export function openWork(
  platform: Platform,
  people: Pick<People, "access">,
  { clusters, identity }: Pick<Reach, "clusters" | "identity">,
): Work {
  const { config, clock, log, store, bus, leases, commandKeys: keys } = platform;
  const commands = openCommands({
    ...{ db: store.db, queries: store.queries, access: people.access, clusters, keys, bus, leases, clock, log },
    hasHadRole: identity.hasHadRole,
    isMesh: config.meshIdentityHeader !== undefined,
  });
  return {
    addServices: commands.addServices,
    additions: { signedInRoutes: commands.routes, metrics: { commands: commands.totals } },
    stop: commands.stop,
    [Symbol.asyncDispose]: () => commands[Symbol.asyncDispose](),
  };
}
