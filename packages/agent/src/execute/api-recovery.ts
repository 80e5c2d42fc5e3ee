// An API server that has just begun knows no roles yet, and refuses what it will allow in a moment (403). So for a minute
// after an outage a refusal isn't believed at once. Without an outage it is: a right that was taken away is missing.
import { Backoff, type Clock, sleep } from "@fairlead/kernel";
import { type KubeClient, type KubePool, type KubeRequest, kubeErrors } from "@fairlead/kube";

export interface ApiRecovery {
  /** An outage was over less than a minute ago, or isn't over. */
  isRecent(): boolean;
  /** The same client, which notices outages and asks again after a refusal that may pass. */
  patient(client: KubeClient): KubeClient;
}

export function createApiRecovery(options: {
  /** Asks whether the API server is ready. */
  readonly client: Pick<KubeClient, "request">;
  readonly clock: Clock;
}): ApiRecovery {
  const { clock } = options;
  let seenMs = Number.NEGATIVE_INFINITY;
  const isRecent = (): boolean => clock.steadyMs() - seenMs < settleMs;
  return {
    isRecent,
    patient: (client) => ({
      ...client,
      pool: noticing(client.pool),
      request: (what) => insist(what, () => client.request(what)),
    }),
  };

  async function insist<T>(what: KubeRequest, ask: () => Promise<T>): Promise<T> {
    const backoff = new Backoff({ baseMs: 250, maxMs: 2_000 });
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (isOutage(error) && what.signal?.aborted !== true) note();
        if (!kubeErrors.is(error, "KUBE_FORBIDDEN")) throw error;
        if (!isRecent()) await look(what.signal);
        if (!isRecent()) throw error;
        await sleep(100 + backoff.nextMs(), { clock, ...(what.signal && { signal: what.signal }) });
      }
    }
  }

  /** An agent that sent no request during an outage asks here. Every account may read `/readyz`. */
  async function look(signal: AbortSignal | undefined): Promise<void> {
    try {
      await options.client.request({ path: "/readyz", signal, timeoutMs: lookMs });
    } catch (error) {
      // While it starts, this question is answered with 500.
      const isStarting = kubeErrors.is(error, "KUBE_REQUEST_FAILED") && error.httpStatus >= 500;
      if ((isStarting || isOutage(error)) && signal?.aborted !== true) note();
    }
  }

  function noticing(pool: KubePool): KubePool {
    return {
      ...pool,
      dispatch(request, handler) {
        pool.dispatch(request, {
          ...handler,
          onRequestStart: (...started) => handler.onRequestStart?.(...started),
          onRequestUpgrade: (...upgraded) => handler.onRequestUpgrade?.(...upgraded),
          onResponseStart(controller, status, ...rest) {
            if (unready.has(status)) note();
            handler.onResponseStart?.(controller, status, ...rest);
          },
          onResponseData: (...data) => handler.onResponseData?.(...data),
          onResponseEnd: (...ended) => handler.onResponseEnd?.(...ended),
          onResponseError(controller, error) {
            // Not where the request was given up here.
            if (controller?.aborted !== true) note();
            handler.onResponseError?.(controller, error);
          },
        });
      },
    };
  }

  function note(): void {
    seenMs = clock.steadyMs();
  }
}

function isOutage(error: unknown): boolean {
  return kubeErrors.is(error, "KUBE_UNREACHABLE", "KUBE_TIMEOUT", "KUBE_UNAVAILABLE");
}

const unready: ReadonlySet<number> = new Set([502, 503, 504]);
const settleMs = 60_000;
const lookMs = 5_000;
