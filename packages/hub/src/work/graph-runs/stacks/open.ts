// The room of stacks: declared resources in one or several clusters, each of which gets a command as its turn comes.
import type { FastifyPluginAsync } from "fastify";
import type { CommandKeys } from "../../../platform/pki/index.ts";
import { type GraphRunPorts, openGraphRuns } from "../open.ts";
import { type StackKinds, stackKinds } from "./kinds.ts";
import { createStackPort } from "./port.ts";
import { forgetStackRuns } from "./retention.ts";
import { createStackRights } from "./rights.ts";
import { createStackRoutes } from "./routes.ts";
import { createStacks, type Stacks } from "./service.ts";
import { type StackShares, stackShares } from "./shares.ts";

export interface StacksRoom extends AsyncDisposable {
  readonly stacks: Stacks;
  readonly routes: readonly FastifyPluginAsync[];
}

export function openStacks(
  options: GraphRunPorts & {
    /** Undefined: there are no commands. */
    readonly keys: CommandKeys | undefined;
    readonly kinds?: StackKinds | undefined;
    readonly shares?: StackShares | undefined;
  },
): StacksRoom {
  const { db, access, parts, news, keys, kinds = stackKinds, shares = stackShares } = options;
  const rights = createStackRights(access);
  const port = createStackPort({ db, rights });
  const runs = openGraphRuns(options, { port, forget: () => forgetStackRuns(db) });
  const stacks = createStacks({ db, port, rights, parts, kinds, shares, onChanged: news.tell });
  return {
    stacks,
    routes: [createStackRoutes({ stacks, keys })],
    [Symbol.asyncDispose]: () => runs[Symbol.asyncDispose](),
  };
}
