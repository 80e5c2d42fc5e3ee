// The room of rollouts: one request for several clusters, each of which gets a command as its turn comes.
import type { FastifyPluginAsync } from "fastify";
import type { CommandKeys } from "../../../platform/pki/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import type { TemplateUses } from "../../commands/index.ts";
import { type GraphRunPorts, openGraphRuns } from "../open.ts";
import type { RolloutLimits } from "./add-rollout.ts";
import { createChooser } from "./choose.ts";
import { createRolloutPort } from "./port.ts";
import { forgetRollouts } from "./retention.ts";
import { createRolloutRoutes } from "./routes.ts";
import { createRollouts, type Rollouts } from "./service.ts";
import { createRolloutView } from "./view.ts";

export interface RolloutsRoom extends AsyncDisposable {
  readonly rollouts: Rollouts;
  readonly routes: readonly FastifyPluginAsync[];
}

export function openRollouts(
  options: GraphRunPorts & {
    readonly clusters: Pick<Clusters, "names" | "labels">;
    readonly templates: TemplateUses;
    /** Undefined: there are no commands. */
    readonly keys: CommandKeys | undefined;
    readonly limits?: RolloutLimits | undefined;
  },
): RolloutsRoom {
  const { db, access, clusters, parts, templates, news, keys, limits } = options;
  const port = createRolloutPort(db);
  const runs = openGraphRuns(options, { port, forget: () => forgetRollouts(db) });
  const rollouts = createRollouts({
    db,
    port,
    store: runs.store,
    access,
    templates,
    limits,
    onChanged: news.tell,
    chooser: createChooser({ access, clusters, parts }),
    view: createRolloutView({ db, access, clusters, templates }),
  });
  return {
    rollouts,
    routes: [createRolloutRoutes({ rollouts, keys })],
    [Symbol.asyncDispose]: () => runs[Symbol.asyncDispose](),
  };
}
