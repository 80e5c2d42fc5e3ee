// Serves agents' calls: one for each cluster at a time, by the hub that holds the lease on the cluster's sync.
import {
  type Clock,
  type FairleadError,
  isFairleadError,
  onAbort,
  repeat,
  sleep,
  takeUntilAbort,
} from "@fairlead/kernel";
import {
  type AgentHello,
  type ClusterRules,
  Exchange,
  type HubHello,
  operationsFlow,
  type ReplicaMessage,
  type ReplicateRequest,
} from "@fairlead/protocol";
import type { HeldLease, Leases } from "../../../platform/leases/index.ts";
import { remappedNamespaces } from "../destinations/index.ts";
import { gitopsErrors } from "../errors.ts";
import type { HubSettings } from "../settings/index.ts";
import type { EndsOptions, HubEnds, SyncLog } from "../sync/index.ts";
import type { OwnershipFence } from "../types.ts";
import { admitCall } from "./admit.ts";
import type { OwnedSyncs } from "./owned-syncs.ts";

export interface Replication extends Disposable {
  serve(requests: AsyncIterable<ReplicateRequest>, call: AgentCall): AsyncGenerator<ReplicateAnswer>;
  /** A cluster's settings changed: its agent begins anew. */
  restart(cluster: string): void;
}

export interface AgentCall {
  readonly cluster: string;
  readonly refusal: FairleadError | undefined;
  readonly signal: AbortSignal;
}

export interface ReplicationOptions {
  readonly readSettings: (cluster: string) => Promise<HubSettings>;
  /** The settings of all clusters that have some. */
  readonly listSettings: () => Promise<readonly HubSettings[]>;
  readonly openEnds: (
    settings: HubSettings,
    options: Omit<EndsOptions, "objects" | "namespace" | "rules" | "holds" | "keptOperations">,
  ) => HubEnds;
  /** Tells how the ends of a cluster stand, for as long as it is served. */
  readonly reportStatus: (fence: OwnershipFence, ends: HubEnds) => Disposable;
  readonly leases: Pick<Leases, "take">;
  readonly owned: OwnedSyncs;
  readonly hubUid: string;
  /** Argo CD's own on the hub. */
  readonly argoNamespace: string;
  readonly clock: Clock;
  readonly random?: () => number;
  readonly log: SyncLog;
}

/** A message of the call, as far as it is filled in. */
export interface ReplicateAnswer {
  readonly message:
    | { readonly case: "hello"; readonly value: HelloFields }
    | { readonly case: "batch"; readonly value: { readonly messages: ReplicaMessage[] } };
}

type HelloFields = Omit<HubHello, "$typeName" | "$unknown" | "rules"> & {
  readonly rules: Partial<Omit<ClusterRules, "$typeName" | "$unknown">>;
};

interface LiveCall {
  readonly leaseEpoch: bigint;
  readonly generation: number;
  readonly end: (reason: unknown) => void;
  readonly over: Promise<void>;
}

export function createReplication(options: ReplicationOptions): Replication {
  const {
    readSettings,
    listSettings,
    openEnds,
    reportStatus,
    leases,
    owned,
    hubUid,
    argoNamespace,
    clock,
    random = Math.random,
    log,
  } = options;
  const calls = new Map<string, LiveCall>();
  const stopping = new AbortController();
  /** Agents of clusters whose mode is `off` wait for another one, so that they begin as soon as it is set. */
  const waiting = new Map<string, Set<() => void>>();
  // Another hub may have changed them.
  const looking = repeat({
    clock,
    intervalMs: lookEveryMs,
    run: look,
    onError: (error) => log.warn({ err: error }, "settings of applications can't be read now"),
  });
  return {
    serve,
    restart(cluster) {
      calls.get(cluster)?.end(gitopsErrors.GITOPS_SETTINGS_CHANGED({ cluster }));
      wake(cluster);
    },
    [Symbol.dispose]: () => {
      looking[Symbol.dispose]();
      stopping.abort();
      for (const [cluster, call] of calls) call.end(gitopsErrors.GITOPS_NOT_OWNER({ cluster }));
    },
  };

  async function* serve(
    requests: AsyncIterable<ReplicateRequest>,
    { cluster, refusal, signal }: AgentCall,
  ): AsyncGenerator<ReplicateAnswer> {
    if (stopping.signal.aborted) throw gitopsErrors.GITOPS_NOT_OWNER({ cluster });
    const ending = new AbortController();
    using _listening = onAbort(signal, (reason) => ending.abort(reason));
    const messages = takeUntilAbort(requests, ending.signal);
    const hello = await readHello(messages, ending.signal);
    const settings = await readDeclared(cluster, ending.signal);
    const before = calls.get(cluster);
    admitCall(hello, { settings, current: before, refusal });
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const { leaseEpoch } = hello;
    const end = (reason: unknown): void => ending.abort(reason);
    const call: LiveCall = { leaseEpoch, generation: settings.generation, end, over };
    calls.set(cluster, call);
    try {
      before?.end(gitopsErrors.GITOPS_NOT_LEADER({ cluster, epoch: before.leaseEpoch, seen: leaseEpoch }));
      await before?.over;
      ending.signal.throwIfAborted();
      await using lease = await leases.take(`gitops/${cluster}`);
      if (lease === undefined || lease.fence < hello.seenOwnerTerm) throw gitopsErrors.GITOPS_NOT_OWNER({ cluster });
      using _owned = owned.own(cluster, { lease, signal: ending.signal });
      using _owning = onAbort(lease.signal, () => end(gitopsErrors.GITOPS_NOT_OWNER({ cluster })));
      yield* exchange({ hello, settings, lease, messages, ending });
    } catch (error) {
      if (!signal.aborted && !isFairleadError(error))
        log.warn({ err: error, cluster }, "a call about applications broke off");
      throw error;
    } finally {
      ending.abort();
      if (calls.get(cluster) === call) calls.delete(cluster);
      resolve();
    }
  }

  async function* exchange(begun: {
    readonly hello: AgentHello;
    readonly settings: HubSettings;
    readonly lease: HeldLease;
    readonly messages: AsyncIterable<ReplicateRequest>;
    readonly ending: AbortController;
  }): AsyncGenerator<ReplicateAnswer> {
    const { hello, settings, lease, messages, ending } = begun;
    const { cluster, rules } = settings;
    const { signal } = ending;
    const end = (reason: unknown): void => ending.abort(reason);
    // The ends may have something to say while they are connected.
    let open: Exchange | undefined;
    const fence: OwnershipFence = { cluster, term: lease.fence };
    const ends = openEnds(settings, {
      fence,
      limits,
      clock,
      random,
      log,
      signal,
      onWork: () => open?.wake(),
      onFenced: () => end(gitopsErrors.GITOPS_NOT_OWNER({ cluster })),
    });
    using exchanging = new Exchange({ ...ends, clock });
    open = exchanging;
    using _comparing = repeat({
      clock,
      intervalMs: compareEveryMs * (0.75 + random() / 2),
      onError: end,
      run: async () => {
        for (const source of ends.sources.values()) source.compare();
      },
    });
    using _telling = reportStatus(fence, ends);
    const flows = hello.flows.filter(
      (flow) => flow === operationsFlow || ends.sources.has(flow) || ends.targets.has(flow),
    );
    yield {
      message: {
        case: "hello",
        value: {
          mode: settings.mode,
          mapping: settings.mapping,
          ownerTerm: lease.fence,
          hubUid,
          flows,
          maxUnackedEntries: limits.maxUnackedEntries,
          maxUnackedBytes: limits.maxUnackedBytes,
          rules: {
            hubNamespace: cluster,
            destinationName: cluster,
            remappedNamespaces:
              settings.mapping === "destination" ? remappedNamespaces(cluster, { argoNamespace }) : [],
            onUidMismatch: rules.onUidMismatch,
            adoption: rules.adoption,
            onRecreate: rules.onRecreate,
            createNamespaces: rules.createNamespaces,
            guardedDeletionsPercent: rules.guardPercent,
            guardedDeletionsMin: rules.guardMin,
          },
        },
      },
    };
    void ends.run(signal).catch(end);
    void receive(messages, exchanging, ends).then(
      () => end(undefined),
      (error: unknown) => end(error),
    );
    for await (const batch of exchanging.batches(signal))
      yield { message: { case: "batch", value: { messages: batch } } };
    if (signal.reason !== undefined) throw signal.reason;
  }

  async function look(): Promise<void> {
    const all = new Map((await listSettings()).map((settings) => [settings.cluster, settings]));
    for (const [cluster, call] of calls) {
      if (all.get(cluster)?.generation !== call.generation) call.end(gitopsErrors.GITOPS_SETTINGS_CHANGED({ cluster }));
    }
    for (const cluster of waiting.keys()) if ((all.get(cluster)?.mode ?? "off") !== "off") wake(cluster);
  }

  /** With the mode `off`: what they are when it is changed, or after a while. */
  async function readDeclared(cluster: string, signal: AbortSignal): Promise<HubSettings> {
    const settings = await readSettings(cluster);
    if (settings.mode !== "off") return settings;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiters = waiting.get(cluster) ?? new Set();
    waiting.set(cluster, waiters.add(resolve));
    try {
      await Promise.race([promise, sleep(longestWaitMs, { clock, signal })]);
    } finally {
      waiters.delete(resolve);
      if (waiters.size === 0 && waiting.get(cluster) === waiters) waiting.delete(cluster);
    }
    return await readSettings(cluster);
  }

  function wake(cluster: string): void {
    for (const resolve of waiting.get(cluster) ?? []) resolve();
  }

  async function readHello(messages: AsyncGenerator<ReplicateRequest>, signal: AbortSignal): Promise<AgentHello> {
    const timeOut = sleep(helloTimeoutMs, { clock, signal }).then(() => undefined);
    const first = await Promise.race([messages.next(), timeOut]);
    const message = first?.value?.message as ReplicateRequest["message"] | undefined;
    if (message?.case !== "hello")
      throw gitopsErrors.GITOPS_REQUEST_INVALID({ problems: "a call must begin with a hello" });
    return message.value;
  }
}

async function receive(
  messages: AsyncIterable<ReplicateRequest>,
  exchange: Exchange,
  { untilRoom }: Pick<HubEnds, "untilRoom">,
): Promise<void> {
  for await (const { message } of messages) {
    if (message.case === "batch") exchange.receive(message.value.messages);
    await untilRoom();
  }
}

const limits = { maxUnackedEntries: 64, maxUnackedBytes: 4 * 1024 * 1024, maxEntryBytes: 1_536 * 1_024 };
const helloTimeoutMs = 15_000;
const lookEveryMs = 5_000;
/** Agents give up a call that isn't welcomed within a minute. */
const longestWaitMs = 45_000;
/** Finds what nobody told. */
const compareEveryMs = 10 * 60_000;
