import { Backoff, type Clock, sleep } from "@fairlead/kernel";
import { backdatedMs, describeCertificate } from "@fairlead/protocol/x509";
import type { IdentityKeeper, IdentityLog } from "./keeper.ts";
import type { RenewSoon } from "./renew-soon.ts";

export interface RenewalOptions {
  readonly keeper: IdentityKeeper;
  /** Asks the hub over the live link; undefined while there is none. */
  readonly issuer: () => ((csrDer: Uint8Array) => Promise<{ certificateChainPem: string; caPem: string }>) | undefined;
  /** Tells the hub that a certificate is stored; undefined where it doesn't want to know. */
  readonly confirmer?: (() => ((serial: string) => Promise<void>) | undefined) | undefined;
  readonly renewSoon?: RenewSoon | undefined;
  /** The hub's time, by which certificates are valid. Milliseconds since the epoch. */
  readonly hubNowMs: () => number;
  readonly clock: Clock;
  readonly log: IdentityLog;
  readonly signal: AbortSignal;
  readonly random?: (() => number) | undefined;
}

/**
 * Renews from half of the certificate's life on, spread over a tenth of it, or when the hub asks for it; until the signal
 * aborts.
 */
export async function keepRenewed(options: RenewalOptions): Promise<void> {
  const { keeper, clock, log, signal, renewSoon, random = Math.random } = options;
  const backoff = new Backoff({ baseMs: 2_000, maxMs: 300_000, random });
  const spread = random();
  let toldSerial: string | undefined;
  while (!signal.aborted) {
    await untilAsked(Math.min(nextWaitMs(), maxHopMs));
    await keeper.flush().catch(() => undefined);
    await confirm();
    const issue = options.issuer();
    if (signal.aborted || !issue || dueInMs() > 0) continue;
    try {
      await keeper.renew(issue);
      renewSoon?.met();
      backoff.reset();
      await confirm();
      log.info({}, "the certificate was renewed");
    } catch (error) {
      if (signal.aborted) return;
      const retryMs = backoff.nextMs();
      log.warn({ err: error, retryMs }, "the certificate can't be renewed yet");
      await sleep(retryMs, { clock, signal }).catch(() => undefined);
    }
  }

  /** Waits so long, or until the hub asks for a renewal. */
  async function untilAsked(waitMs: number): Promise<void> {
    const asked = new AbortController();
    const stopListening = renewSoon?.onAsked(() => asked.abort());
    await sleep(waitMs, { clock, signal: AbortSignal.any([signal, asked.signal]) }).catch(() => undefined);
    stopListening?.();
  }

  /** Once for each certificate, when it is stored. A hub that didn't hear it is told again at the next hop. */
  async function confirm(): Promise<void> {
    const tell = options.confirmer?.();
    const issued = keeper.current;
    if (!tell || !issued || !keeper.isSaved) return;
    const { serial } = describeCertificate(issued.certificateChainPem);
    if (serial === toldSerial) return;
    try {
      await tell(serial);
      toldSerial = serial;
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, "the hub can't be told yet that the new certificate is stored");
    }
  }

  function dueInMs(): number {
    const issued = keeper.current;
    if (!issued) return Number.POSITIVE_INFINITY;
    if (renewSoon?.dueAtMs !== undefined) return renewSoon.dueAtMs - clock.steadyMs();
    const { notBefore, notAfter } = describeCertificate(issued.certificateChainPem);
    const issuedAt = Math.min(notBefore + backdatedMs, notAfter);
    return issuedAt + (notAfter - issuedAt) * (0.5 + spread * 0.1) - options.hubNowMs();
  }

  function nextWaitMs(): number {
    return Math.max(dueInMs(), overdueHopMs);
  }
}

// Hops, because the identity can change while we wait, and the link can come back.
const maxHopMs = 15_000;
const overdueHopMs = 500;
