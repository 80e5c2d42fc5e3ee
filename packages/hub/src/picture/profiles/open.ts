// The room of profiles: what fit clusters are asked for, and which cluster is examined by which of them.
import type { FastifyPluginAsync } from "fastify";
import type { Kysely } from "kysely";
import type { Access } from "../../people/access/index.ts";
import type { Changes } from "../../platform/changes/index.ts";
import type { Tables } from "../../platform/store/index.ts";
import type { Clusters } from "../../reach/clusters/index.ts";
import { type ExamineOrders, followOrders } from "./orders.ts";
import { createProfileRoutes } from "./routes.ts";
import { createProfiles } from "./service.ts";
import { createProfileStore } from "./store.ts";

export interface ProfilesRoom extends AsyncDisposable {
  readonly routes: FastifyPluginAsync;
  readonly orders: ExamineOrders;
}

export function openProfiles(options: {
  readonly db: Kysely<Tables>;
  /** For what people ask. */
  readonly queries: Kysely<Tables>;
  readonly changes: Pick<Changes, "commit" | "follow">;
  readonly access: Pick<Access, "may" | "require">;
  readonly clusters: Pick<Clusters, "meet" | "exists">;
  /** How many there may be. */
  readonly limit?: number | undefined;
}): ProfilesRoom {
  const { db, queries, changes, access, clusters, limit } = options;
  const store = createProfileStore({ db: queries, changes, limit });
  const orders = followOrders({ db, changes });
  return {
    routes: createProfileRoutes(createProfiles({ store, access, clusters })),
    orders,
    [Symbol.asyncDispose]: () => orders[Symbol.asyncDispose](),
  };
}
