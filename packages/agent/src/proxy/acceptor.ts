import { type Clock, systemClock } from "@fairlead/kernel";
import type { Tracer } from "@fairlead/kernel/tracing";
import type { KubePool } from "@fairlead/kube";
import { capabilities, type LinkStream, type StreamAcceptor } from "@fairlead/protocol";
import {
  createTrackedReach,
  type JudgedRequest,
  judge,
  openPolicyRules,
  type PolicyKeeper,
  type Verdict,
} from "../policy/index.ts";
import { createCallerReader } from "./caller-reader.ts";
import type { ProxyCounters } from "./counters.ts";
import { Exchange, type ProxyContext, type ProxyOutcome } from "./exchange.ts";

export interface ProxyOptions {
  readonly pool: KubePool;
  readonly counters: ProxyCounters;
  /** The rules of this cluster; without them only those that always hold. */
  readonly policy?: Pick<PolicyKeeper, "judge" | "onChanged"> & Partial<Pick<PolicyKeeper, "trackingLabel">>;
  /** The agent's own, where it is in the cluster: what is there isn't for a hub to change. */
  readonly ownNamespace?: string | undefined;
  readonly clock?: Clock | undefined;
  readonly tracer?: Tracer | undefined;
  onFinished?(stream: LinkStream, outcome: ProxyOutcome): void;
}

/** The hub sends requests only to agents that take their identity, and those of its Argo CD only to agents that bound it. */
export const proxyCapabilities: readonly string[] = [
  capabilities.identity,
  capabilities.trackedReach,
  capabilities.manyGroups,
  capabilities.largeHeads,
];

/** Serves streams for the cluster's API server with the agent's own credential. */
export function createProxyAcceptor(options: ProxyOptions): StreamAcceptor {
  const { clock = systemClock, policy, ownNamespace, ...rest } = options;
  const live = new Set<Exchange>();
  const reach = createTrackedReach(() => policy?.trackingLabel);
  const readAs = createCallerReader(options.pool);
  const judgeHere = (request: JudgedRequest): Verdict =>
    policy ? policy.judge(request) : judge(openPolicyRules, request);
  const context: ProxyContext = {
    ...rest,
    clock,
    judge: (request) => judgeHere({ ...request, ownNamespace }),
    requireTracked: ({ attributes, identity, path, signal }) =>
      reach.require({ attributes, path, read: readAs(identity, signal) }),
    onOver: (exchange) => live.delete(exchange),
  };
  policy?.onChanged(() => {
    for (const exchange of live) exchange.judgeAgain();
  });
  return (stream) => {
    const exchange = new Exchange(context, stream);
    live.add(exchange);
    exchange.start();
    return exchange;
  };
}
