// The role `observe` as one thing: what the cluster has is read all the time, by a standby too; what differs from the
// hub's copy is sent by the agent that leads.
import type { Clock } from "@fairlead/kernel";
import { createKubeClient, discoverApis, type KubeClient } from "@fairlead/kube";
import type { Logger } from "pino";
import { chooseSalt } from "./choose-storage.ts";
import type { AgentConfig } from "./config/index.ts";
import { createDoctor, type Doctor } from "./doctor/index.ts";
import { createInventorySync, type InventoryStats } from "./inventory/index.ts";
import { createLeaseLead, createSoleLead, type Lead } from "./lead/index.ts";
import type { CurrentLink } from "./link/index.ts";
import { createObserveCounters, createObservedFeed, type ObserveCounters, observeErrors } from "./observe/index.ts";
import { agentVersion } from "./version.ts";

export interface ObservingOptions {
  readonly config: AgentConfig;
  readonly client: KubeClient;
  readonly instanceId: string;
  readonly links: CurrentLink;
  readonly kubeSystemUid: () => Promise<string>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

export interface Observing {
  readonly counters: ObserveCounters;
  readonly isLeading: boolean;
  stats(): InventoryStats;
  /** Rejects until all is listed and, where this agent leads, the hub has it. */
  check(): Promise<void>;
  /** Resolves when all has stopped after the signal. */
  readonly finished: Promise<unknown>;
}

export function startObserving(options: ObservingOptions): Observing {
  const { config, client, instanceId, links, kubeSystemUid, clock, log, signal } = options;
  const { include, exclude, namespaces, labelSelector, envValues, maxObjectBytes } = config.observe;
  const counters = createObserveCounters();
  const doctor = config.observe.doctor ? openDoctor(options) : undefined;
  const observed = createObservedFeed({
    client: createKubeClient({ access: client.access, pool: client.pool, numbers: "exact" }),
    async discover(discoverSignal) {
      const catalogue = await discoverApis({ client, signal: discoverSignal });
      doctor?.learn(catalogue);
      return catalogue;
    },
    choice: { include, exclude, namespaces },
    labelSelector,
    onlooker: doctor?.onlooker,
    rules: { envValues, maxObjectBytes },
    salt: chooseSalt(config, client),
    counters,
    clock,
    log,
  });
  const feed = doctor?.join(observed) ?? observed;
  const lead = chooseLead(options);
  const sync = createInventorySync({
    feed,
    links,
    lead,
    instanceId,
    clock,
    log,
    kubeSystemUid,
    onExamineBy: doctor?.examineBy,
  });
  const finished = Promise.all([lead.run(signal), sync.run(signal)]).catch((error: unknown) =>
    log.error({ err: error }, "observing stopped"),
  );
  return {
    counters,
    get isLeading() {
      return lead.current !== undefined;
    },
    stats: sync.stats,
    check: async () => {
      if (!feed.isSynced())
        throw observeErrors.OBSERVE_NOT_SYNCED({ message: "The agent is still listing the cluster's kinds." });
      if (!lead.current) return;
      const { isConnected, kinds } = sync.stats();
      if (!isConnected)
        throw observeErrors.OBSERVE_NOT_SYNCED({ message: "The hub doesn't accept the inventory yet." });
      if (kinds.listing + kinds.comparing > 0)
        throw observeErrors.OBSERVE_NOT_SYNCED({ message: "The hub doesn't have all objects yet." });
    },
    finished,
  };
}

function openDoctor({ config, client, kubeSystemUid, clock, log }: ObservingOptions): Doctor {
  const { include, exclude, namespaces, labelSelector, envValues } = config.observe;
  return createDoctor({
    client,
    labelSelector,
    envValues,
    isProbing: config.observe.doctorProbes,
    kubeSystemUid,
    agentVersion,
    clock,
    log,
    choice: { include, exclude, namespaces },
  });
}

function chooseLead({ config, client, instanceId, clock, log }: ObservingOptions): Lead {
  const { lease } = config.observe;
  return lease === undefined
    ? createSoleLead({ clock })
    : createLeaseLead({ client, name: lease, identity: instanceId, clock, log });
}
