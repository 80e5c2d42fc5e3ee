// The room of rollouts: one request for several clusters, each of which gets a command as its turn comes.
import type { Clock } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import type { Kysely } from "kysely";
import type { Access } from "../../../people/access/index.ts";
import type { Leases } from "../../../platform/leases/index.ts";
import type { CommandKeys } from "../../../platform/pki/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import type { Logger } from "../../../platform/telemetry/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import type { CommandParts, TemplateUses } from "../../commands/index.ts";
import type { GraphRunNews } from "../news.ts";
import { startGraphRunWork } from "../work.ts";
import { createAdvance } from "./advance.ts";
import { createChooser } from "./choose.ts";
import { forgetRollouts } from "./retention.ts";
import { createRolloutRoutes } from "./routes.ts";
import { createRollouts, type Rollouts } from "./service.ts";
import { createRolloutStore } from "./store.ts";
import type { RolloutLimits } from "./take-in.ts";
import { createRolloutView } from "./view.ts";

export interface RolloutsRoom extends AsyncDisposable {
  readonly rollouts: Rollouts;
  readonly routes: readonly FastifyPluginAsync[];
}

export function openRollouts(options: {
  /** For what people ask: what agents do goes first. */
  readonly db: Kysely<Tables>;
  readonly access: Pick<Access, "may" | "require" | "recall" | "refuseAbsent">;
  readonly clusters: Pick<Clusters, "names" | "labels">;
  readonly parts: CommandParts;
  readonly templates: TemplateUses;
  readonly news: GraphRunNews;
  /** Undefined: there are no commands. */
  readonly keys: CommandKeys | undefined;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits?: RolloutLimits | undefined;
}): RolloutsRoom {
  const { db, access, clusters, parts, templates, news, keys, leases, clock, log, limits } = options;
  const store = createRolloutStore(db);
  const rollouts = createRollouts({
    db,
    store,
    access,
    templates,
    limits,
    onChanged: news.tell,
    chooser: createChooser({ access, clusters, parts }),
    view: createRolloutView({ db, access, clusters, templates }),
  });
  const work = startGraphRunWork({
    name: "rollouts",
    listDue: store.listDue,
    news,
    leases,
    clock,
    log,
    advance: createAdvance({ db, store, parts, access, clock }),
    forget: async () => void (await forgetRollouts(db)),
  });
  return {
    rollouts,
    routes: [createRolloutRoutes({ rollouts, keys })],
    [Symbol.asyncDispose]: () => work[Symbol.asyncDispose](),
  };
}
