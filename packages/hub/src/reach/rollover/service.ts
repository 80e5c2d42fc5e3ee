// Replaces the certificate authority: makes the new one, asks agents over their links to renew under it, says how many
// still go by the old one, and ends that.
import { createClient } from "@connectrpc/connect";
import type { CaStatus } from "@fairlead/contract";
import type { Clock } from "@fairlead/kernel";
import { capabilities, createLinkTransport, RenewalService } from "@fairlead/protocol";
import type { Pki } from "../../platform/pki/index.ts";
import type { Logger } from "../../platform/telemetry/index.ts";
import type { Identity } from "../identity/index.ts";
import type { LinkList, LiveLink } from "../links/index.ts";
import { caStillNeeded } from "./errors.ts";

export interface RolloverService {
  status(): Promise<CaStatus>;
  /** Throws PKI_ROLLOVER_UNDER_WAY. */
  rotate(options: { readonly renewWithinMs?: number | undefined }): Promise<CaStatus>;
  /** Throws PKI_NOTHING_TO_RETIRE, and CA_STILL_NEEDED unless forced. */
  retire(options: { readonly force?: boolean | undefined }): Promise<CaStatus>;
  /** An agent has introduced itself: it may have been away when the others were asked. */
  greet(link: LiveLink): void;
}

export function createRolloverService(options: {
  readonly pki: Pki;
  readonly identity: Pick<Identity, "listHolders">;
  readonly links: Pick<LinkList, "list"> & {
    /** Those of other hubs among them. */
    readonly present?: () => readonly StandingLink[];
  };
  /** The life of an agent's certificate. */
  readonly certificateTtlMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}): RolloverService {
  const { pki, identity, links, certificateTtlMs, clock, log } = options;
  let askWithinMs: number | undefined;
  /** An agent whose certificate ends before this got it together with the retired authority, and trusts that still. */
  let trustsRetiredUntil = Number.NEGATIVE_INFINITY;
  pki.onChanged(async () => {
    if (pki.rollover.is === "single") trustsRetiredUntil = clock.now() + certificateTtlMs;
    announce(askWithinMs);
    // Another hub has retired it, and knows of its own links only. Those that drain have followers.
    for (const link of links.list()) if (!link.isDraining) closeUntrusted(link);
  });

  return {
    async status() {
      await pki.refresh();
      return await status();
    },
    async rotate({ renewWithinMs }) {
      await pki.refresh();
      askWithinMs = renewWithinMs;
      await pki.rotate().finally(() => {
        askWithinMs = undefined;
      });
      return await status();
    },
    async retire({ force = false }) {
      await pki.refresh();
      const { rollover } = pki;
      if (rollover.is === "overlapping") {
        const left = await findLeft(rollover.leaving.fingerprint);
        if (left.length > 0 && !force) throw caStillNeeded(left);
      }
      await pki.retire();
      log.info({}, "the old certificate authority is retired");
      // Else the old one's links are those that drain: their agents have newer ones.
      if (force) for (const link of links.list()) closeUntrusted(link);
      return await status();
    },
    greet(link) {
      if (mustRenew(link)) ask(link, renewWithinDefaultMs);
      // It was let in before the authority was retired.
      closeUntrusted(link);
    },
  };

  /**
   * To agents on links of this hub. Each hub does so as soon as it hears of a change: agents get the new authority beside
   * the old one, and after its end the new one alone. Until then a thief of the old key could pose as their hub.
   */
  function announce(renewWithinMs: number | undefined): void {
    const before = links.list().filter(mustRenew);
    const withinMs = renewWithinMs ?? Math.max(renewWithinDefaultMs, before.length * perAgentMs);
    const { is: state } = pki.rollover;
    log.info(
      { agents: before.length, withinMs, state },
      "the certificate authorities changed; agents are asked to renew",
    );
    for (const link of before) ask(link, withinMs);
  }

  async function status(): Promise<CaStatus> {
    const { rollover } = pki;
    if (rollover.is === "single") {
      const { current } = rollover;
      const clusters = await findHolders((issuers) => issuers.has(current.fingerprint));
      return { state: "single", authorities: [{ ...describe(current, clusters), use: "current" }] };
    }
    const { leaving, coming } = rollover;
    const renewed = await findHolders((issuers) => issuers.has(coming.fingerprint));
    return {
      state: "overlapping",
      authorities: [
        { ...describe(leaving, await findLeft(leaving.fingerprint)), use: "leaving" },
        { ...describe(coming, renewed), use: "coming" },
      ],
    };
  }

  /** A cluster for each agent; by its certificates on record, or by what its live link stands on. */
  async function findLeft(leaving: string): Promise<string[]> {
    const { rollover } = pki;
    const signer = rollover.is === "overlapping" ? rollover.coming.fingerprint : leaving;
    const onRecord = await findHolders((issuers) => [...issuers].some((issuer) => issuer !== signer));
    // Several agents may share a key, and one of them may be behind the others.
    const present: readonly StandingLink[] = links.present?.() ?? links.list();
    const linked = present.filter(({ issuer, isDraining }) => issuer === leaving && !isDraining);
    return [...onRecord, ...linked.map(({ cluster }) => cluster).filter((cluster) => !onRecord.includes(cluster))];
  }

  async function findHolders(isMeant: (issuers: ReadonlySet<string>) => boolean): Promise<string[]> {
    const holders = await identity.listHolders();
    return holders.filter(({ issuers }) => isMeant(issuers)).map(({ cluster }) => cluster);
  }

  function mustRenew({ issuer, notAfter }: LiveLink): boolean {
    const { rollover } = pki;
    if (rollover.is === "overlapping") return issuer === rollover.leaving.fingerprint;
    return issuer === rollover.current.fingerprint && notAfter < trustsRetiredUntil;
  }

  function closeUntrusted({ issuer, link }: LiveLink): void {
    if (issuer !== undefined && !pki.caFingerprints.includes(issuer)) link.close("certificate authority retired");
  }

  /** An agent without the capability renews at half of its certificate's life. */
  function ask({ link, cluster, hello }: LiveLink, withinMs: number): void {
    if (!hello?.capabilities.includes(capabilities.renewSoon)) return;
    createClient(RenewalService, createLinkTransport({ link }))
      .renewSoon({ withinMs }, { timeoutMs: 30_000 })
      .catch((error: unknown) => log.debug({ err: error, cluster }, "an agent wasn't asked to renew"));
  }
}

/** A link with the authority of its agent's certificate, whichever hub it leads to. */
interface StandingLink extends Pick<LiveLink, "cluster" | "isDraining"> {
  /** Undefined for a link of a hub that doesn't say. */
  readonly issuer?: string | undefined;
}

function describe(
  { fingerprint, createdAt, notAfter }: { fingerprint: string; createdAt: number; notAfter: number },
  clusters: readonly string[],
) {
  return {
    fingerprint,
    createdAt: new Date(createdAt).toISOString(),
    notAfter: new Date(notAfter).toISOString(),
    agents: clusters.length,
    clusters: [...new Set(clusters)].sort(),
  };
}

const renewWithinDefaultMs = 60_000;
/** Fifty renewals a second. */
const perAgentMs = 20;
