import { type Clock, type FairleadError, systemClock } from "@fairlead/kernel";
import type { KubePool } from "@fairlead/kube";
import type { LinkStream, StreamAcceptor } from "@fairlead/protocol";
import type { ProxyCounters } from "./counters.ts";
import { Exchange, type ProxyContext } from "./exchange.ts";

export interface ProxyOptions {
  readonly pool: KubePool;
  readonly counters: ProxyCounters;
  readonly clock?: Clock | undefined;
  onFinished?(stream: LinkStream, outcome: { status: number; error: FairleadError | undefined }): void;
}

/** What this room can do that older agents couldn't; the hub sends requests only to agents that take their identity. */
export const proxyCapabilities: readonly string[] = ["identity"];

/** Serves streams for the cluster's API server with the agent's own credential. */
export function createProxyAcceptor(options: ProxyOptions): StreamAcceptor {
  const { clock = systemClock, ...rest } = options;
  const context: ProxyContext = { ...rest, clock };
  return (stream) => {
    const exchange = new Exchange(context, stream);
    exchange.start();
    return exchange;
  };
}
