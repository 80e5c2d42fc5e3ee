// The room of stacks: declared resources in one or several clusters, each of which gets a command as its turn comes.
import type { Clock } from "@fairlead/kernel";
import type { FastifyPluginAsync } from "fastify";
import type { Kysely } from "kysely";
import type { Access } from "../../../people/access/index.ts";
import type { Leases } from "../../../platform/leases/index.ts";
import type { CommandKeys } from "../../../platform/pki/index.ts";
import type { Tables } from "../../../platform/store/index.ts";
import type { Logger } from "../../../platform/telemetry/index.ts";
import type { CommandParts } from "../../commands/index.ts";
import type { GraphRunNews } from "../news.ts";
import { startGraphRunWork } from "../work.ts";
import { createStackAdvance } from "./advance.ts";
import { type StackKinds, stackKinds } from "./kinds.ts";
import { forgetStackRuns } from "./retention.ts";
import { createStackRights } from "./rights.ts";
import { createStackRoutes } from "./routes.ts";
import { createStacks, type Stacks } from "./service.ts";
import { type StackShares, stackShares } from "./shares.ts";
import { createStackStore } from "./store.ts";

export interface StacksRoom extends AsyncDisposable {
  readonly stacks: Stacks;
  readonly routes: readonly FastifyPluginAsync[];
}

export function openStacks(options: {
  /** For what people ask: what agents do goes first. */
  readonly db: Kysely<Tables>;
  readonly access: Pick<Access, "may" | "require" | "recall" | "refuseAbsent">;
  readonly parts: CommandParts;
  readonly news: GraphRunNews;
  /** Undefined: there are no commands. */
  readonly keys: CommandKeys | undefined;
  readonly leases: Pick<Leases, "hold">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly kinds?: StackKinds | undefined;
  readonly shares?: StackShares | undefined;
}): StacksRoom {
  const { db, access, parts, news, keys, leases, clock, log } = options;
  const { kinds = stackKinds, shares = stackShares } = options;
  const store = createStackStore(db);
  const rights = createStackRights(access);
  const work = startGraphRunWork({
    name: "stack runs",
    listDue: store.listDue,
    news,
    leases,
    clock,
    log,
    advance: createStackAdvance({ db, store, parts, access, rights, clock }),
    forget: async () => void (await forgetStackRuns(db)),
  });
  const stacks = createStacks({ db, store, rights, parts, kinds, shares, onChanged: news.tell });
  return {
    stacks,
    routes: [createStackRoutes({ stacks, keys })],
    [Symbol.asyncDispose]: () => work[Symbol.asyncDispose](),
  };
}
