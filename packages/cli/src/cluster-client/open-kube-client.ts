// A client of a cluster's API, whose requests `-v` shows beside those to the hub.
import { type ClusterAccess, createKubeClient, createKubePool, type KubeClient, type KubePool } from "@fairlead/kube";
import type { EndOfRequest, RequestTrace } from "../trace/index.ts";

export function openKubeClient(options: {
  readonly access: ClusterAccess;
  readonly trace?: RequestTrace | undefined;
}): KubeClient {
  const { access, trace } = options;
  if (!trace) return createKubeClient({ access });
  const pool = createKubePool({ access });
  const client = createKubeClient({ access, pool: tracePool(pool, trace) });
  return { ...client, [Symbol.asyncDispose]: () => pool[Symbol.asyncDispose]() };
}

function tracePool(pool: KubePool, trace: RequestTrace): KubePool {
  return {
    ...pool,
    dispatch(options, handler) {
      const url = new URL(options.path, pool.access.server.origin);
      pool.dispatch(options, traceHandler(handler, trace.begin({ method: options.method, url })));
    },
  };
}

type Handler = Parameters<KubePool["dispatch"]>[1];

/** Bodies of a cluster's objects aren't told: Secrets are among them. */
function traceHandler(handler: Handler, end: (end: EndOfRequest) => void): Handler {
  return {
    onRequestStart: (...args) => handler.onRequestStart?.(...args),
    onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
    onResponseStart(controller, status, headers, message) {
      end({ status, headers });
      handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: (...args) => handler.onResponseData?.(...args),
    onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
    onResponseError(controller, error) {
      end({ error });
      handler.onResponseError?.(controller, error);
    },
  };
}
