// The room of templates: commands that some write down and others ask for.
import type { FastifyPluginAsync } from "fastify";
import type { Kysely } from "kysely";
import type { Access } from "../../people/access/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import { createCommandRights, type TemplateUses } from "../commands/index.ts";
import { createTemplateRights } from "./rights.ts";
import { createTemplateRoutes } from "./routes.ts";
import { createTemplates } from "./service.ts";
import { createTemplateStore } from "./store.ts";
import { createTemplateUses } from "./uses.ts";

export interface TemplatesRoom {
  readonly routes: readonly FastifyPluginAsync[];
  readonly uses: TemplateUses;
}

export function openTemplates(options: {
  /** For what people ask. */
  readonly db: Kysely<Tables>;
  readonly access: Pick<Access, "may" | "require">;
  readonly clusters: Pick<Clusters, "names" | "labels">;
  /** How many there may be. */
  readonly limit?: number | undefined;
}): TemplatesRoom {
  const { db, access, clusters, limit } = options;
  const store = createTemplateStore(db, limit);
  const rights = createTemplateRights({ access, clusters, commandRights: createCommandRights(access) });
  return {
    routes: [createTemplateRoutes(createTemplates({ store, rights, clusters }))],
    uses: createTemplateUses({ store, rights, clusters }),
  };
}
