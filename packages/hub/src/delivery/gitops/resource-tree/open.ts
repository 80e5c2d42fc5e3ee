// A small Redis of the hub's, for the argocd-server beside it: what Argo CD keeps of a cluster's applications comes from that
// cluster, all else from the Redis of the hub's own Argo CD.
import type { Clock } from "@fairlead/kernel";
import type { GitopsObject } from "@fairlead/protocol";
import type { HubConfig } from "../../../platform/config/index.ts";
import type { Logger } from "../../../platform/telemetry/index.ts";
import type { Clusters } from "../../../reach/clusters/index.ts";
import type { LinkList } from "../../../reach/links/index.ts";
import type { NamespaceRules } from "../destinations/index.ts";
import { type GitopsSettingsStore, toGitopsSettings } from "../settings/index.ts";
import { createRespClient } from "./client.ts";
import { createClusterInfos } from "./cluster-infos.ts";
import { createClusterTrees } from "./cluster-trees.ts";
import { openClientListener } from "./listener.ts";
import { openClientPassword } from "./password.ts";
import { createPlaceOfKey } from "./place-of-key.ts";
import { requireDestination } from "./require-destination.ts";
import { RespSession } from "./session.ts";
import { readTreeEndpoint } from "./settings.ts";
import { createTreeWatches } from "./tree-watches.ts";

export interface ResourceTrees extends AsyncDisposable {
  /** Ends all connections and calls, so that agents' links can drain. */
  stop(): void;
}

/** Undefined: the hub has none. */
export async function openResourceTrees(options: {
  readonly config: HubConfig;
  readonly settings: Pick<GitopsSettingsStore, "find" | "list">;
  readonly clusters: Pick<Clusters, "exists" | "get">;
  /** On the hub. */
  readonly findApplication: (namespace: string, name: string) => Promise<GitopsObject | undefined>;
  /** As the hub that serves the cluster said last. */
  readonly countApplications: (cluster: string) => Promise<number>;
  readonly rules: NamespaceRules;
  readonly connections: LinkList["connections"];
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<ResourceTrees | undefined> {
  const { config, settings, clusters, findApplication, countApplications, rules, connections, clock, log } = options;
  const endpoint = readTreeEndpoint(config);
  if (!endpoint) return undefined;
  const { listen, upstream, passwordFile, tls } = endpoint;
  await using undo = new AsyncDisposableStack();
  const password = passwordFile === undefined ? undefined : await openClientPassword({ file: passwordFile, clock });
  const trees = createClusterTrees({ connections, clock });
  const watches = undo.use(createTreeWatches({ trees, clock }));
  const placeOf = createPlaceOfKey({ listSettings: settings.list, findApplication, rules, clock });
  const readSettings = async (cluster: string) => toGitopsSettings(cluster, await settings.find(cluster));
  const { publicUrl } = config;
  const infos = createClusterInfos({
    publicUrl,
    clusters,
    readSettings,
    countApplications,
    connections,
    trees,
    clock,
  });
  const listener = undo.use(
    await openClientListener({
      listen,
      tls,
      clock,
      log,
      serve: async (socket, onAdmitted) =>
        await new RespSession({
          client: createRespClient({ socket, clock }),
          password,
          upstream,
          placeOf,
          requireDestination: (cluster, key) =>
            requireDestination({ cluster, key, argoNamespace: rules.argoNamespace, findApplication }),
          infos,
          trees,
          watches,
          onAdmitted,
          clock,
        }).run(),
    }),
  );
  log.info({ listen, port: listener.port, tls: tls !== undefined }, "resource trees for Argo CD");
  if (!tls && !endpoint.isLoopback)
    log.warn({ listen }, "Argo CD's password and what it reads cross the network without TLS");
  const owned = undo.move();
  return {
    stop() {
      listener.stop();
      watches[Symbol.dispose]();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
