// The role `gitops` as one thing: Argo CD's objects of this cluster and those of the hub are kept alike by the agent that
// leads.
import type { Clock, FairleadError } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { KubeClient } from "@fairlead/kube";
import type { Logger } from "pino";
import type { AgentConfig } from "./config/index.ts";
import { createGitopsSync, type GitopsStats, gitopsErrors } from "./gitops/index.ts";
import { createLeaseLead, createSoleLead, type Lead } from "./lead/index.ts";
import type { CurrentLink } from "./link/index.ts";

export interface SyncingOptions {
  readonly config: AgentConfig;
  readonly client: KubeClient;
  readonly instanceId: string;
  readonly links: CurrentLink;
  readonly kubeSystemUid: () => string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly tracer?: Tracer | undefined;
}

export interface Syncing {
  readonly isLeading: boolean;
  stats(): GitopsStats;
  /** Rejects with why nothing is synced, where this agent leads. */
  check(): Promise<void>;
  /** Resolves when all has stopped after the signal. */
  readonly finished: Promise<unknown>;
}

export function startSyncing(options: SyncingOptions): Syncing {
  const { config, client, instanceId, links, kubeSystemUid, clock, log, signal } = options;
  const { argoNamespace, applicationNamespaces, modes } = config.gitops;
  const lead = chooseLead(options);
  const sync = createGitopsSync({
    argo: { namespace: argoNamespace, applicationNamespaces, modes },
    client,
    links,
    lead,
    instanceId,
    kubeSystemUid,
    clock,
    log,
    tracer: options.tracer,
  });
  const finished = Promise.all([lead.run(signal), sync.run(signal)]).catch((error: unknown) =>
    log.error({ err: error }, "syncing stopped"),
  );
  return {
    get isLeading() {
      return lead.current !== undefined;
    },
    stats: sync.stats,
    check: async () => {
      const why = lead.current === undefined ? undefined : shortcoming();
      if (why) throw why;
    },
    finished,
  };

  function shortcoming(): FairleadError | Error | undefined {
    if (!sync.stats().isConnected) return sync.shortcoming ?? gitopsErrors.GITOPS_HUB_UNABLE();
    const failure = sync.failures()[0];
    return failure && gitopsErrors.GITOPS_NOT_SYNCED({ message: failure.message });
  }
}

function chooseLead({ config, client, instanceId, clock, log }: SyncingOptions): Lead {
  const { lease } = config.gitops;
  return lease === undefined
    ? createSoleLead({ clock })
    : createLeaseLead({ client, name: lease, identity: instanceId, clock, log });
}
