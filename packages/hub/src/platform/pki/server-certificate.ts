import { type Clock, systemClock } from "@fairlead/kernel";
import type { IssuedServerCertificate } from "@fairlead/protocol/x509";
import type { Pki, ServerCertificate } from "./types.ts";

/**
 * Issues a listener's certificate and replaces it at two thirds of its life, and when the hub's CA changes; `onRenewed` is where the server calls
 * `setSecureContext`, so that new connections get the new one and old ones go on.
 */
export async function keepServerCertificate(options: {
  readonly pki: Pki;
  readonly names: readonly string[];
  readonly onRenewed: (certificate: IssuedServerCertificate) => void;
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly ttlMs?: number | undefined;
  readonly clock?: Clock | undefined;
}): Promise<ServerCertificate> {
  const { pki, names, onRenewed, onError, ttlMs, clock = systemClock } = options;
  let current = await issue();
  let isDisposed = false;
  let cancel = scheduleRenewal();
  const stopListening = pki.onChanged(() => {
    cancel();
    return renew();
  });

  return {
    current: () => current,
    [Symbol.dispose]() {
      isDisposed = true;
      stopListening();
      cancel();
    },
  };

  function issue(): Promise<IssuedServerCertificate> {
    return pki.issueServer({ names, ...(ttlMs === undefined ? {} : { ttlMs }) });
  }

  function scheduleRenewal(): () => void {
    const leftMs = current.notAfter - clock.now();
    return clock.after(Math.max((leftMs * 2) / 3, shortestWaitMs), () => void renew());
  }

  async function renew(): Promise<void> {
    try {
      const renewed = await issue();
      if (isDisposed) return;
      current = renewed;
      onRenewed(renewed);
    } catch (error) {
      onError?.(error);
    }
    if (!isDisposed) cancel = scheduleRenewal();
  }
}

const shortestWaitMs = 1_000;
