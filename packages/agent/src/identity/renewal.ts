import { Backoff, type Clock, sleep } from "@fairlead/kernel";
import { backdatedMs, describeCertificate } from "@fairlead/protocol/x509";
import type { IdentityKeeper, IdentityLog } from "./keeper.ts";

export interface RenewalOptions {
  readonly keeper: IdentityKeeper;
  /** Asks the hub over the live link; undefined while there is none. */
  readonly issuer: () => ((csrDer: Uint8Array) => Promise<{ certificateChainPem: string; caPem: string }>) | undefined;
  readonly clock: Clock;
  readonly log: IdentityLog;
  readonly signal: AbortSignal;
  readonly random?: (() => number) | undefined;
}

/** Renews from half of the certificate's life on, spread over a tenth of it, until the signal aborts. */
export async function keepRenewed(options: RenewalOptions): Promise<void> {
  const { keeper, clock, log, signal, random = Math.random } = options;
  const backoff = new Backoff({ baseMs: 2_000, maxMs: 300_000, random });
  const spread = random();
  while (!signal.aborted) {
    const waitMs = Math.min(nextWaitMs(), maxHopMs);
    await sleep(waitMs, { clock, signal }).catch(() => undefined);
    await keeper.flush().catch(() => undefined);
    const issue = options.issuer();
    if (signal.aborted || !issue || dueInMs() > 0) continue;
    try {
      await keeper.renew(issue);
      backoff.reset();
      log.info({}, "the certificate was renewed");
    } catch (error) {
      const retryMs = backoff.nextMs();
      log.warn({ err: error, retryMs }, "the certificate can't be renewed yet");
      await sleep(retryMs, { clock, signal }).catch(() => undefined);
    }
  }

  function dueInMs(): number {
    const issued = keeper.current;
    if (!issued) return Number.POSITIVE_INFINITY;
    const { notBefore, notAfter } = describeCertificate(issued.certificateChainPem);
    const issuedAt = Math.min(notBefore + backdatedMs, notAfter);
    return issuedAt + (notAfter - issuedAt) * (0.5 + spread * 0.1) - clock.now();
  }

  function nextWaitMs(): number {
    return Math.max(dueInMs(), overdueHopMs);
  }
}

// Hops, because the identity can change while we wait, and the link can come back.
const maxHopMs = 15_000;
const overdueHopMs = 500;
