// The wing of work: what clusters are asked to do, and what became of it.
import { forComponent } from "@fairlead/kernel";
import type { People } from "../people/index.ts";
import type { SubscribeToRuns } from "../picture/live/index.ts";
import type { Platform } from "../platform/index.ts";
import type { Additions } from "../platform/server/index.ts";
import type { Reach } from "../reach/index.ts";
import { type CommandsRoom, openCommands } from "./commands/index.ts";
import { createGraphRunNews, openRollouts, openStacks } from "./graph-runs/index.ts";
import { createRunNews, openLiveRuns } from "./live-runs/index.ts";
import { openSchedules } from "./schedules/index.ts";
import { openTemplates } from "./templates/index.ts";

export interface Work extends AsyncDisposable {
  readonly addServices: CommandsRoom["addServices"];
  readonly subscribeToRuns: SubscribeToRuns;
  readonly additions: Additions;
  /** Ends all waits of agents and lets no new ones begin, so that links can drain. */
  stop(): void;
}

export function openWork(
  platform: Platform,
  { access }: Pick<People, "access">,
  { clusters, identity }: Pick<Reach, "clusters" | "identity">,
): Work {
  const { config, clock, log, store, bus, leases, tracer, commandKeys: keys } = platform;
  const owned = new AsyncDisposableStack();
  const news = {
    rollout: owned.use(createGraphRunNews(bus, "rollouts")),
    "stack run": owned.use(createGraphRunNews(bus, "stack runs")),
  };
  const runNews = owned.use(createRunNews(bus));
  const templates = openTemplates({ db: store.queries, access, clusters });
  const { uses } = templates;
  const commands = owned.use(
    openCommands({
      db: store.db,
      queries: store.queries,
      access,
      clusters,
      keys,
      bus,
      leases,
      clock,
      log: forComponent(log, "hub/commands"),
      templates: uses,
      hasHadRole: identity.hasHadRole,
      listHavingHadRole: identity.listHavingHadRole,
      isMesh: config.meshIdentityHeader !== undefined,
      onPartChanged: ({ is, id }) => news[is].tell(id),
      onChanged: runNews.tell,
      tracer,
    }),
  );
  const { parts } = commands;
  const { subscribeToRuns } = openLiveRuns({ ...commands.looking, news: runNews, access, clock });
  const asked = { db: store.queries, access, keys, leases, clock, log: forComponent(log, "hub/work") };
  const rollouts = owned.use(openRollouts({ ...asked, clusters, parts, templates: uses, news: news.rollout }));
  const schedules = owned.use(openSchedules({ ...asked, rollouts: rollouts.rollouts }));
  const stacks = owned.use(openStacks({ ...asked, parts, news: news["stack run"] }));
  return {
    addServices: commands.addServices,
    subscribeToRuns,
    additions: {
      signedInRoutes: [
        ...templates.routes,
        ...commands.routes,
        ...rollouts.routes,
        ...schedules.routes,
        ...stacks.routes,
      ],
      metrics: { commands: commands.totals },
    },
    stop: commands.stop,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
