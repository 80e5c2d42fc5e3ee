// Holds a call to the hub whenever this process leads and there is a link whose hub syncs applications. What it is told is
// kept as it is while there is no call.
import { Code, ConnectError } from "@connectrpc/connect";
import { Backoff, type Clock, type FairleadError, isFairleadError, onAbort, orAbort, sleep } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { KubeClient } from "@fairlead/kube";
import {
  capabilities,
  flowsOf,
  type GitopsRefusal,
  gitopsKinds,
  gitopsMappings,
  type HubHello,
  operationsFlow,
  parseGitopsRefusal,
} from "@fairlead/protocol";
import type { Lead, Term } from "../lead/index.ts";
import type { CurrentLink, WelcomedLink } from "../link/index.ts";
import { readAbilities } from "./abilities.ts";
import { runCall } from "./call.ts";
import { createEnds, type Ends } from "./ends.ts";
import { gitopsErrors } from "./errors.ts";
import { createFollowedKind, type FollowedKind } from "./followed-kind.ts";
import { readHello } from "./read-hello.ts";
import { countEnds, type GitopsStats } from "./stats.ts";
import type { ArgoSetup, GitopsLog } from "./types.ts";

export interface GitopsSyncOptions {
  readonly client: KubeClient;
  readonly argo: ArgoSetup;
  readonly links: Pick<CurrentLink, "current" | "onChange">;
  readonly lead: Pick<Lead, "untilLeading">;
  readonly instanceId: string;
  readonly kubeSystemUid: () => string;
  readonly clock: Clock;
  readonly log: GitopsLog;
  readonly random?: () => number;
  readonly tracer?: Tracer | undefined;
}

export interface GitopsSync {
  /** Until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  stats(): GitopsStats;
  /** Why the last call was refused or given up; undefined while there is one. */
  readonly shortcoming: Error | undefined;
  /** Why kinds can't be read. */
  failures(): readonly FairleadError[];
}

export function createGitopsSync(options: GitopsSyncOptions): GitopsSync {
  const { client, argo, links, lead, instanceId, kubeSystemUid, clock, log, tracer, random = Math.random } = options;
  const backoff = new Backoff({ baseMs: 500, maxMs: 30_000, random });
  const wantedKinds = new Set(argo.modes.flatMap((mode) => flowsOf(mode).map(({ kind }) => kind)));
  const kinds = new Map(gitopsKinds.filter((kind) => wantedKinds.has(kind)).map((kind) => [kind, follow(kind)]));
  let ends: Ends | undefined;
  let isConnected = false;
  let shortcoming: Error | undefined;
  let seenOwnerTerm = 0n;
  let said: string | undefined;
  /** Aborted when the hub is to be told of other abilities. */
  let abilities = new AbortController();
  return {
    run,
    get shortcoming() {
      return shortcoming;
    },
    stats: () => countEnds(ends, isConnected),
    failures: () => [...kinds.values()].flatMap(({ failure }) => failure ?? []),
  };

  function follow(kind: FollowedKind["kind"]): FollowedKind {
    const namespaces = kind === "applications" ? [argo.namespace, ...argo.applicationNamespaces] : [argo.namespace];
    const onFailure = (): void => abilities.abort(new Error("What the agent may do has changed."));
    return createFollowedKind({ client, kind, onFailure, log, namespaces: [...new Set(namespaces)] });
  }

  async function run(signal: AbortSignal): Promise<void> {
    await Promise.all([...[...kinds.values()].map((kind) => kind.run(signal)), holdCalls(signal)]).catch(
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
  }

  async function holdCalls(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const term = await lead.untilLeading(signal);
      const until = AbortSignal.any([signal, term.signal]);
      using _leading = onAbort(until, endEnds);
      while (!until.aborted) await holdCall(term, until);
    }
  }

  async function holdCall(term: Term, until: AbortSignal): Promise<void> {
    const link = await untilLink(until).catch(() => undefined);
    if (link === undefined) return;
    await settleKinds(until);
    abilities = new AbortController();
    using moved = watchLink(link);
    const over = AbortSignal.any([until, moved.signal, abilities.signal]);
    const beganMs = clock.steadyMs();
    const error: unknown = await call(link, term, over).catch((thrown: unknown) => thrown);
    isConnected = false;
    if (clock.steadyMs() - beganMs > stableMs) {
      backoff.reset();
      said = undefined;
    }
    if (!over.aborted) await sleep(explain(error), { clock, signal: over }).catch(() => undefined);
  }

  async function call(link: WelcomedLink["link"], term: Term, signal: AbortSignal): Promise<never> {
    const hello = {
      kubeSystemUid: kubeSystemUid(),
      agentInstanceId: instanceId,
      leaseEpoch: term.epoch,
      sentAtMs: BigInt(clock.now()),
      mode: argo.modes.length === 1 ? (argo.modes[0] ?? "") : "",
      mapping: "",
      argoNamespace: argo.namespace,
      flows: [...new Set(argo.modes.flatMap((mode) => flowsOf(mode).map(({ name }) => name))), operationsFlow],
      abilities: await readAbilities(client, kinds.values(), signal),
      seenOwnerTerm,
      mappings: [...gitopsMappings],
    };
    return await runCall({ link, hello, welcome, clock, random, signal });
  }

  function welcome(hello: HubHello): Ends {
    if (hello.ownerTerm < seenOwnerTerm) throw gitopsErrors.GITOPS_OWNER_OUTDATED();
    const settings = readHello(hello, argo.modes);
    seenOwnerTerm = hello.ownerTerm;
    if (ends === undefined || JSON.stringify(ends.settings) !== JSON.stringify(settings)) {
      endEnds();
      ends = createEnds({ settings, kinds, client, argoNamespace: argo.namespace, clock, random, log, tracer });
    }
    isConnected = true;
    shortcoming = undefined;
    const { mode, mapping, flows } = settings;
    log.info({ mode, mapping, flows }, "the hub and this cluster sync Argo CD's applications");
    return ends;
  }

  function endEnds(): void {
    ends?.[Symbol.dispose]();
    ends = undefined;
  }

  /** The hub is told what can be read once that is known. */
  async function settleKinds(signal: AbortSignal): Promise<void> {
    const settled = Promise.all([...kinds.values()].map((kind) => kind.settled));
    await Promise.race([settled, sleep(settleMs, { clock, signal })]).catch(() => undefined);
  }

  /** Says why a call ended, once as long as it stays the same, and how long to wait for the next. */
  function explain(thrown: unknown): number {
    const refusal = parseGitopsRefusal(thrown);
    const isUnwanted = refusal !== undefined && endingRefusals.has(refusal);
    if (isUnwanted || gitopsErrors.is(thrown, "GITOPS_MODE_REFUSED")) endEnds();
    const error = thrown instanceof ConnectError && isFairleadError(thrown.cause) ? thrown.cause : thrown;
    shortcoming = error instanceof Error ? error : undefined;
    const reason = shortcoming?.message ?? "";
    const isSaid = said === reason;
    said = reason;
    const { text, waitMs } = refusal === undefined ? describe(thrown, error) : refusals[refusal];
    log[isSaid ? "debug" : "warn"]({ ...(refusal && { code: refusal }), err: error }, text);
    return waitMs ?? backoff.nextMs();
  }

  async function untilLink(signal: AbortSignal): Promise<WelcomedLink["link"]> {
    const { promise, resolve } = Promise.withResolvers<WelcomedLink["link"]>();
    const look = (): void => {
      const { current } = links;
      if (current?.capabilities.includes(capabilities.gitops)) resolve(current.link);
    };
    const stop = links.onChange(look);
    look();
    return await orAbort(promise, signal).finally(stop);
  }

  function watchLink(link: WelcomedLink["link"]): Disposable & { readonly signal: AbortSignal } {
    const controller = new AbortController();
    const look = (): void => {
      if (links.current?.link !== link) controller.abort(new Error("There is another link."));
    };
    const stop = links.onChange(look);
    look();
    return { signal: controller.signal, [Symbol.dispose]: () => void stop() };
  }
}

interface Explanation {
  readonly text: string;
  /** Undefined: a little longer each time. */
  readonly waitMs?: number;
}

function describe(thrown: unknown, error: unknown): Explanation {
  if (gitopsErrors.is(error, "GITOPS_MODE_REFUSED"))
    return { text: "the hub declares a mode that this agent was told not to take", waitMs: 60_000 };
  if (thrown instanceof ConnectError && thrown.code === Code.Unimplemented)
    return { text: "the hub doesn't serve the call about Argo CD's applications", waitMs: 60_000 };
  return { text: "the call about Argo CD's applications ended; the next one compares" };
}

const refusals: Readonly<Record<GitopsRefusal, Explanation>> = {
  GITOPS_OFF: { text: "the hub syncs no applications with this cluster: no mode is set for it", waitMs: 30_000 },
  GITOPS_MODE_MISMATCH: { text: "the hub declares another mode than this agent was told", waitMs: 30_000 },
  GITOPS_AGENT_OUTDATED: { text: "the hub declares a mapping that this agent's version can't do", waitMs: 60_000 },
  GITOPS_CLUSTER_REPLACED: {
    text: "the hub knows another cluster under this name, and waits until an admin confirms this one",
    waitMs: 30_000,
  },
  GITOPS_NOT_LEADER: { text: "another agent leads this cluster's sync, says the hub", waitMs: 10_000 },
  GITOPS_NOT_OWNER: { text: "another hub owns this cluster's sync", waitMs: 2_000 },
};
/** With these there is nothing more to keep in the cluster. */
const endingRefusals: ReadonlySet<GitopsRefusal> = new Set([
  "GITOPS_OFF",
  "GITOPS_MODE_MISMATCH",
  "GITOPS_CLUSTER_REPLACED",
]);
const settleMs = 10_000;
const stableMs = 10_000;
